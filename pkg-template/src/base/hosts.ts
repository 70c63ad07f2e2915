// Names of types that hosts declare. They let a project compile that has no host's types: neither the DOM library's nor
// those of Node or a worker. If a host declares them, these add nothing.

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
