// Types of workerd's own module. `@cloudflare/workers-types` conflicts with the DOM's types.

declare module "cloudflare:workers" {
  export class DurableObject<Environment = unknown> {
    protected readonly ctx: {
      id: { toString(): string };
      storage: Parameters<typeof import("windrow/stores/durable-object").durableObjectStore>[0];
    };
    protected readonly env: Environment;
    constructor(ctx: unknown, env: Environment);
  }
}
