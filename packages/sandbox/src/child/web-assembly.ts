/** The memory of an instance. */
export interface Memory {
  /** Detached when the memory grows. */
  readonly buffer: ArrayBuffer;
}

interface Global {
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  /** Sizes are in pages of 64 KiB. */
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => Memory;
}

/** What is used of the runtime's WebAssembly, which the types of Node declare without its members. */
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: Global }).WebAssembly;
