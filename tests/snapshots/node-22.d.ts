// Node 22 has snapshots; the types that this project checks with are those of Node 20, the oldest that the package supports.

import "node:test";

declare module "node:test" {
  namespace test {
    interface TestContextAssert {
      snapshot(value: unknown): void;
    }
    const snapshot: { setDefaultSnapshotSerializers(serializers: ((value: unknown) => string)[]): void };
  }
}
