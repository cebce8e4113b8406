// Node has WebAssembly; its typings come only with those of a browser.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    readonly exports: Record<string, unknown>;
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
  }
}
