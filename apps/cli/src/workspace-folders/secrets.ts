import { readFile } from "node:fs/promises";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { SecretName } from "@parley/schema";
import * as z from "zod";
import { readInput, readSecrets } from "../connection/read-secrets.ts";

const REFERENCE = /\{\{secrets\.([^{}]*)\}\}/g;

/** The names of the secrets that a text names, as in `Bearer {{secrets.ORDERS_TOKEN}}`. */
export const secretsIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].map(([, name = ""]) => name);

/** Whether a text names a secret, and none by a name that secrets cannot have. */
function namesSecrets(text: string): boolean {
  const names = secretsIn(text);
  return names.length > 0 && names.every((name) => SecretName.safeParse(name).success);
}

/** A member of a file that names a secret. */
export const secretText = z.string().refine(namesSecrets, {
  error: "must name a secret, such as Bearer {{secrets.ORDERS_TOKEN}}; files contain none",
});

/** A text with the values of the secrets that it names. */
const fillSecrets = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(REFERENCE, (_reference, name: string) => values.get(name) ?? "");

/** The reference to a secret that is named by words, as those of a tool and its header. */
export function referenceTo(...words: readonly string[]): string {
  const name = words
    .join("_")
    .normalize("NFKD")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return `{{secrets.${(/^[A-Z]/.test(name) ? name : `SECRET_${name}`).slice(0, 64)}}}`;
}

/** The values of the secrets that files name. */
export interface SecretSource {
  /** A text with the values of the secrets that it names. */
  readonly fill: (text: string) => string;
  /** Asks a terminal for the values that are missing. Throws `CommandError` if there is none. */
  readonly require: (names: readonly string[]) => Promise<void>;
}

/** Headers with the values of the secrets that they name. */
export const fillHeaders = (
  secrets: SecretSource,
  headers: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, secrets.fill(text)]));

/** Reads lines of NAME=value from a file, or from standard input if it is `-`; nothing if it is undefined. */
export async function openSecrets(io: Io, place: string | undefined): Promise<SecretSource> {
  const values = new Map<string, string>();
  if (place !== undefined) {
    const text = place === "-" ? await readLines(io) : await readSecretFile(place);
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === "" || line.startsWith("#")) continue;
      const at = line.indexOf("=");
      const name = line.slice(0, Math.max(at, 0));
      // The line itself may be a secret.
      if (at < 1 || !SecretName.safeParse(name).success) {
        throw new CommandError(`--secrets: line ${index + 1} is not of the form NAME=value`);
      }
      values.set(name, line.slice(at + 1));
    }
  }
  const requireValues = async (names: readonly string[]): Promise<void> => {
    const missing = [...new Set(names)].filter((name) => !values.get(name));
    if (missing.length === 0) return;
    if (!io.isTerminal.stdin) {
      const cure = "pass --secrets a file of NAME=value lines, or - for standard input";
      throw new CommandError(`Missing values for ${missing.join(", ")}; nothing was done: ${cure}`);
    }
    const given = await readSecrets(
      io,
      missing.map((name) => `the value of ${name}`),
    );
    for (const [index, name] of missing.entries()) values.set(name, given[index] ?? "");
  };
  return { fill: (text) => fillSecrets(text, values), require: requireValues };
}

async function readLines(io: Io): Promise<string> {
  // A terminal would show them.
  if (!io.isTerminal.stdin) return readInput(io);
  throw new CommandError("--secrets - reads a pipe; leave it out to be prompted");
}

async function readSecretFile(place: string): Promise<string> {
  try {
    return await readFile(place, "utf8");
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw new CommandError(`--secrets: ${place} cannot be read (${code})`, { cause });
  }
}
