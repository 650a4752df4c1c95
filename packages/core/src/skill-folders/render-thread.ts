// Runs in a thread, where types are stripped and packages of the workspace are not found: it
// imports what needs neither.
import { parentPort } from "node:worker_threads";
import { renderInstructions } from "./render-instructions.ts";

/** What the thread answers to a text. */
export type Rendered = { readonly html: string } | { readonly fault: string };

parentPort?.on("message", (instructions: string) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answerTo(instructions));
});

function answerTo(instructions: string): Rendered {
  try {
    return { html: renderInstructions(instructions) };
  } catch (error) {
    if (error instanceof RangeError) return { fault: error.message };
    throw error;
  }
}
