import { Worker } from "node:worker_threads";
import { invalidRequest, ParleyError } from "@parley/schema";
import type { Rendered } from "./render-thread.ts";

/** How long one request's instructions may take to render: real ones of a megabyte take 0.5 s. */
const LIMIT_MS = 10_000;
/** Requests that wait for the thread. */
const MAX_WAITING = 16;
/** The thread ends when it was not needed for so long. */
const IDLE_MS = 30_000;
/** The worst megabytes take 250. */
const MAX_HEAP_MEGABYTES = 512;

// Beside this file, as it is written or as it is built.
const threadFile = new URL(
  import.meta.url.endsWith(".ts") ? "./render-thread.ts" : "./render-thread.js",
  import.meta.url,
);

/** Instructions to render; the path is what a refusal names. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
}

/**
 * Renders a request's instructions to sanitised HTML, in their order. Throws
 * `invalid_request_error` for what takes too long or is too long, and `rate_limit_error` where too
 * many wait.
 */
export type RenderInstructions = (texts: readonly Instructions[]) => Promise<string[]>;

/**
 * Makes what renders instructions: in one thread, so that the worst of them holds nobody else, and
 * requests take turns at each text. The thread starts at the first, and keeps no process alive.
 */
export function createInstructionsRenderer(limitMs = LIMIT_MS): RenderInstructions {
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const end = () => {
    void thread?.terminate();
    thread = undefined;
  };

  const render = async (text: string, leftMs: number): Promise<Rendered> => {
    clearTimeout(idle);
    thread ??= startThread();
    const answer = await ask(thread, text, leftMs).catch((error: unknown) => {
      end();
      throw error;
    });
    if (answer === "late" || answer === "broken") end();
    else idle = setTimeout(end, IDLE_MS).unref();
    if (answer === "late") return { fault: `takes more than ${limitMs} ms to render` };
    if (answer === "broken") return { fault: "takes too much memory to render" };
    return answer;
  };

  return async (texts) => {
    if (waiting >= MAX_WAITING) {
      const message = "Too many skills are being rendered: try again";
      throw new ParleyError("rate_limit_error", message, { retryAfterSeconds: 1 });
    }
    waiting++;
    try {
      const pages: string[] = [];
      let leftMs = limitMs;
      for (const { path, text } of texts) {
        const rendered = turn.then(async () => {
          const startedAt = performance.now();
          const answer = await render(text, leftMs);
          leftMs -= performance.now() - startedAt;
          return answer;
        });
        turn = rendered.catch(() => {});
        const answer = await rendered;
        if ("fault" in answer) throw invalidRequest("body", [{ path, message: answer.fault }]);
        pages.push(answer.html);
      }
      return pages;
    } finally {
      waiting--;
    }
  };
}

function startThread(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES };
  // What the process was started with is not for this thread.
  const thread = new Worker(threadFile, { execArgv: [], resourceLimits });
  // While it is asked, the error is the answer; an idle one must not take the process with it.
  thread.on("error", () => {});
  thread.unref();
  return thread;
}

/** What the thread makes of a text; it must be ended where it is late, and is at its end where it broke. */
async function ask(
  thread: Worker,
  text: string,
  limitMs: number,
): Promise<Rendered | "late" | "broken"> {
  const answer = Promise.withResolvers<Rendered | "late" | "broken">();
  const timer = setTimeout(() => answer.resolve("late"), Math.max(0, limitMs));
  const broken = (error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") answer.resolve("broken");
    else answer.reject(error);
  };
  thread.once("message", answer.resolve);
  thread.once("error", broken);
  thread.ref();
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(text);
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    thread.off("message", answer.resolve).off("error", broken);
    thread.unref();
  }
}
