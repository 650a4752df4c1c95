import { createReadStream } from "node:fs";
import { createInterface } from "node:readline/promises";
import { CommandError } from "@parley/command/command-error";
import { printLine } from "@parley/command/print";
import { recordBehaviour } from "@parley/core";
import { ParleyError, type Program } from "@parley/schema";
import type { Context } from "../connection/context.ts";

/** Bounds of the file: more than a behaviour can hold is refused unread. */
const MAX_LINES = 2000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Prints the simulated program that replays the past invocations of a JSON Lines file. Throws
 * `CommandError`, which names the invalid line.
 */
export async function recordFunction(context: Context, file: string): Promise<void> {
  const lines: string[] = [];
  let characters = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    characters += line.length;
    if (lines.push(line) > MAX_LINES || characters > MAX_CHARACTERS) {
      throw new CommandError(`${file}: must be at most ${MAX_LINES} lines of 16 MiB in all`);
    }
  }
  try {
    const program: Program = { type: "simulated", behaviour: recordBehaviour(lines) };
    printLine(context.io, JSON.stringify(program));
  } catch (error) {
    throw error instanceof ParleyError ? new CommandError(`${file}: ${error.message}`) : error;
  }
}
