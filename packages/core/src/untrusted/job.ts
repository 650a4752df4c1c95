import path from "node:path";

/** A kind of untrusted work. */
export interface Job<Input, Output> {
  /** The module to import in the thread, if packages of the workspace are not found. */
  readonly url: string;
  /** The exported function to call; its input and output must be cloneable. */
  readonly name: string;
  /** How long one call may run. */
  readonly deadlineMs: number;
  /** Never set: it only carries the types. */
  readonly does?: (input: Input) => Output | Promise<Output>;
}

/**
 * The URL of a module that threads import: `name`, without an extension, beside the module at `importer`,
 * in the source or in the build.
 */
export function threadModule(name: string, importer: string): string {
  return new URL(`./${name}${path.extname(importer)}`, importer).href;
}
