// Node 22 has snapshots, but this project checks with the types of Node 20, the oldest version that the package
// supports.

import "node:test";

declare module "node:test" {
  namespace test {
    interface TestContextAssert {
      snapshot(value: unknown): void;
    }
    const snapshot: { setDefaultSnapshotSerializers(serializers: ((value: unknown) => string)[]): void };
  }
}
