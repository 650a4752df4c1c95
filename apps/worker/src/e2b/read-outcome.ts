import type { ExecutorEvent, InvocationLimits } from "@parley/schema";
import * as z from "zod";
import type { ProcessEvent } from "./e2b-machine.ts";
import { StringDecoder } from "node:string_decoder";

/** What is held of one line at most: the executor's port cuts lines that are longer than it shows. */
const MAX_LINE_CHARACTERS = 20_000;

/** Splits a stream of bytes into lines; the characters past the bound of a line are dropped. */
export function createLineSplitter() {
  const decoder = new StringDecoder("utf8");
  let held = "";
  const hold = (text: string): void => {
    held += text.slice(0, MAX_LINE_CHARACTERS - held.length);
  };
  return {
    /** The lines that these bytes end. */
    *push(bytes: Buffer): Generator<string, void, undefined> {
      const [first = "", ...rest] = decoder.write(bytes).split("\n");
      hold(first);
      for (const text of rest) {
        yield held;
        held = "";
        hold(text);
      }
    },
    /** The last line, if it has no end. */
    *end(): Generator<string, void, undefined> {
      hold(decoder.end());
      if (held !== "") yield held;
      held = "";
    },
  };
}

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
