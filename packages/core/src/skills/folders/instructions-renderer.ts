import { invalidRequest } from "@parley/schema";
import { type Job, threadModule } from "../../untrusted/job.ts";
import type { CallOptions, Threads } from "../../untrusted/threads.ts";
import type { Rendered } from "./render-thread.ts";

/** Time to render the instructions of one request: a real megabyte takes 0.5 s. */
const LIMIT_MS = 10_000;

const job: Job<string, Rendered> = {
  url: threadModule("render-thread", import.meta.url),
  name: "render",
  deadlineMs: LIMIT_MS,
};

/** Instructions to render, with the path for error messages. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
}

/**
 * Renders a request's instructions to sanitised HTML, in order. Throws `invalid_request_error` for
 * instructions that take too long or are too long, and `rate_limit_error` if too many of the workspace
 * wait.
 */
export async function renderTexts(
  threads: Threads,
  texts: readonly Instructions[],
  options: CallOptions,
): Promise<string[]> {
  const limitMs = options.deadlineMs ?? LIMIT_MS;
  const pages: string[] = [];
  let leftMs = limitMs;
  for (const { path, text } of texts) {
    const refuse = (message: string) => invalidRequest("body", [{ path, message }]);
    const deadlineMs = Math.max(1, leftMs);
    const outcome = await threads.call(job, text, { ...options, deadlineMs });
    if ("failure" in outcome) {
      throw refuse(
        outcome.failure === "too slow"
          ? `takes more than ${limitMs} ms to render`
          : "takes too much memory to render",
      );
    }
    const { value } = outcome;
    if ("fault" in value) throw refuse(value.fault);
    leftMs -= value.tookMs;
    pages.push(value.html);
  }
  return pages;
}
