// Runs in a thread: see untrusted/thread.ts.
import { convert } from "html-to-text";

/** Deeper elements, and more children of one element, are omitted. */
const HTML_LIMITS = { maxDepth: 100, maxChildNodes: 5000 };

/** The visible text of a page. */
export function convertPage(html: string): string {
  return convert(html, {
    wordwrap: false,
    limits: HTML_LIMITS,
    selectors: [{ selector: "img", format: "skip" }],
  });
}
