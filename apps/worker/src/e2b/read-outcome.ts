import type { ExecutorEvent, InvocationLimits } from "@parley/schema";
import * as z from "zod";
import type { ProcessEvent } from "./e2b-machine.ts";

/** What the wrapper leaves: code in there may have left anything else. */
const Answer = z.union([
  z.object({
    error: z.object({
      code: z.enum(["threw", "bad_return", "import_failed", "out_of_memory"]),
      message: z.string(),
    }),
  }),
  z.object({ result: z.unknown() }),
]);

const OUT_OF_MEMORY = /signal: (?:killed|aborted)|core dumped/;
const KILLED = new Set([134, 137]);

/** How an execution ended, by the file that its wrapper left, or by how its process ended without one. */
export function readOutcome(
  answer: string | null | undefined,
  ended: (ProcessEvent & { type: "ended" }) | undefined,
  { maxOutputBytes }: Pick<InvocationLimits, "maxOutputBytes">,
): ExecutorEvent & { type: "succeeded" | "errored" } {
  if (answer === null) {
    const message = `The result must be at most ${maxOutputBytes} bytes of JSON`;
    return { type: "errored", error: { code: "output_too_large", message } };
  }
  if (answer === undefined) return withoutAnswer(ended);
  const read = Answer.safeParse(parse(answer));
  if (!read.success) {
    const message = "The result must be JSON";
    return { type: "errored", error: { code: "bad_return", message } };
  }
  if ("error" in read.data) return { type: "errored", error: read.data.error };
  return { type: "succeeded", result: read.data.result };
}

function withoutAnswer({ exitCode = 0, status = "" } = {}): ExecutorEvent & { type: "errored" } {
  if (KILLED.has(exitCode) || OUT_OF_MEMORY.test(status)) {
    const message = "The function was killed: its sandbox ran out of memory";
    return { type: "errored", error: { code: "out_of_memory", message } };
  }
  if (exitCode === 0) {
    const message = "The function exited without returning a result";
    return { type: "errored", error: { code: "bad_return", message } };
  }
  const message = `The function exited with code ${exitCode}`;
  return { type: "errored", error: { code: "threw", message } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
