import { createReadStream } from "node:fs";
import { createInterface } from "node:readline/promises";
import { recordBehaviour } from "@parley/core";
import { ParleyError } from "@parley/schema";
import { Usage } from "./usage.ts";

/** What a behaviour may be made of; more of it than a behaviour can hold is refused unread. */
const MAX_LINES = 2000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Prints the behaviour that replays the past invocations of a JSON Lines file. */
export async function recordFunction(
  args: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const [file, ...others] = args;
  if (file === undefined || others.length > 0) {
    throw new Usage("functions record takes one file; see parley --help");
  }
  const lines: string[] = [];
  let characters = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    characters += line.length;
    if (lines.push(line) > MAX_LINES || characters > MAX_CHARACTERS) {
      throw new RefusedRecording(`${file}: must be at most ${MAX_LINES} lines of 16 MiB in all`);
    }
  }
  try {
    print(JSON.stringify(recordBehaviour(lines)));
  } catch (error) {
    throw error instanceof ParleyError ? new RefusedRecording(`${file}: ${error.message}`) : error;
  }
}

/** The file holds no invocations that can be replayed; the message names the line. */
class RefusedRecording extends Error {
  override readonly name = "RefusedRecording";
}
