// Names of types that hosts declare, for a project whose types have no host: without the DOM's library, Node's or a worker's. Where a
// host declares them, these add nothing.

declare global {
  interface AbortSignal {}
  interface CryptoKey {}
  interface Response {}
  interface URL {}
  namespace WebAssembly {
    interface Module {}
    interface Memory {}
    interface Table {}
  }
}

export {};
