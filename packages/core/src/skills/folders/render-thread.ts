// Runs in a thread: see untrusted/thread.ts.
import { renderInstructions } from "./render-instructions.ts";

/** The HTML of a text or its fault, and the time that rendering took. */
export type Rendered = { readonly tookMs: number } & (
  | { readonly html: string }
  | { readonly fault: string }
);

/** Renders one text of a skill's instructions. */
export function render(instructions: string): Rendered {
  const startedAt = performance.now();
  const tookMs = () => performance.now() - startedAt;
  try {
    const html = renderInstructions(instructions);
    return { html, tookMs: tookMs() };
  } catch (error) {
    if (error instanceof RangeError) return { fault: error.message, tookMs: tookMs() };
    throw error;
  }
}
