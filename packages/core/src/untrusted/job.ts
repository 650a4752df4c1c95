export { threadModule } from "./thread-module.ts";

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
