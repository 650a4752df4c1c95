import { type Job, threadModule, type Threads } from "@parley/core";
import type { ThrownError } from "@parley/sandbox";
import type { LocateTask } from "./locate-thread.ts";

/** Calls that an error shows. */
const MAX_CALLS = 10;
/** Of a stack, which code may write as it likes. */
const MAX_STACK_CHARACTERS = 65_536;
const MAX_NAME_CHARACTERS = 200;
const CALL = /^\s*at (?:(.*) \()?bundle\.js:(\d{1,9}):(\d{1,9})\)?$/;

/** A source map has megabytes: reading it on the event loop would hold up everybody. */
const job: Job<LocateTask, string[]> = {
  url: threadModule("locate-thread", import.meta.url),
  name: "locate",
  deadlineMs: 2000,
};

/** The message of an error with the calls that led to it, in the files of the author if their map can be read. */
export async function locateError(
  threads: Threads,
  { message, stack, map, workspaceId, signal }: ThrownError,
): Promise<string> {
  const calls = stack
    .slice(0, MAX_STACK_CHARACTERS)
    .split("\n")
    .map((line) => CALL.exec(line))
    .filter((call) => call !== null)
    .slice(0, MAX_CALLS)
    .map(([, name = "<anonymous>", line, column]) => ({
      name: name.slice(0, MAX_NAME_CHARACTERS),
      line: Number(line),
      column: Number(column),
    }));
  if (calls.length === 0) return message;
  const places = calls.map(({ line, column }) => ({ line, column }));
  const located = await threads.call(job, { map, places }, { workspaceId, origin: "run", signal });
  const shown = calls.map(({ name, line, column }, index) => {
    const place = "value" in located ? located.value[index] : `bundle.js:${line}:${column}`;
    return `    at ${name} (${place})`;
  });
  return [message, ...shown].join("\n");
}
