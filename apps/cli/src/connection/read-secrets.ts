import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";

/** More than any secrets have. */
const MAX_SECRET_BYTES = 256 * 1024;
/** More than an input may have. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/**
 * Reads secrets, which are never arguments, because those are visible to others: one line of standard input
 * for each name, in order. A terminal is asked for each, and does not show it. Throws `CommandError`.
 */
export async function readSecrets(io: Io, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  if (io.isTerminal.stdin) {
    const secrets: string[] = [];
    for (const name of names) secrets.push(await ask(io, name));
    return secrets;
  }
  const lines = (await text(bounded(io.stdin, MAX_SECRET_BYTES))).split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  if (lines.length === names.length && !lines.includes("")) return lines;
  const wanted = names.length === 1 ? "one line" : `${names.length} lines`;
  throw new CommandError(
    `Pipe ${wanted} to standard input, or run this in a terminal: ${names.join(", ")}`,
  );
}

/** Reads all of standard input. Throws `CommandError` if it is too long. */
export const readInput = async ({ stdin }: Io): Promise<string> =>
  text(bounded(stdin, MAX_INPUT_BYTES));

async function* bounded(stream: NodeJS.ReadableStream, maxBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes) throw new CommandError("Standard input is too long");
    yield bytes;
  }
}

/** Asks the terminal for a line, and shows nothing of it. */
async function ask({ stdin, stderr }: Io, name: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  // Only now the terminal shows nothing of what is typed.
  stderr.write(`${name}: `);
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(new CommandError("A secret is missing; nothing was changed"));
  lines.once("SIGINT", leave).once("close", leave);
  try {
    const secret = await Promise.race([lines.question(""), left.promise]);
    if (secret === "") leave();
    return secret === "" ? await left.promise : secret;
  } finally {
    left.promise.catch(() => {});
    lines.close();
    stderr.write("\n");
  }
}
