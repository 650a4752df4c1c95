import { isUtf8 } from "node:buffer";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import type { LocalEnd } from "@parley/worker/local-functions";
import { CaseFile, type FunctionCase, isExpecting, MAX_CASE_BYTES } from "./function-case.ts";
import type * as z from "zod";

type Fetch = NonNullable<z.input<typeof CaseFile>["fetches"]>[number];

/** Headers of a connection, or of the moment. */
const passing =
  /^(?:connection|content-(?:encoding|length)|date|keep-alive|set-cookie|transfer-encoding)$/;

/**
 * Writes what servers answered into the file of a case, and what came of it if the case does not say what is expected.
 * Secrets are hidden in both.
 */
export async function recordCase(
  folder: string,
  one: FunctionCase,
  { outcome, exchanges }: LocalEnd,
): Promise<void> {
  const fetches = exchanges.map(({ method, url, status, headers, body }): Fetch => {
    const kept = headers.filter(([name]) => !passing.test(name));
    return { method, url, status, headers: Object.fromEntries(kept), ...bodyOf(headers, body) };
  });
  const expected =
    outcome.status === "succeeded"
      ? { result: outcome.result }
      : { error: { code: outcome.error.code } };
  const written = { ...one.written, ...(isExpecting(one) ? {} : expected), fetches };
  const text = `${JSON.stringify(written, null, 2)}\n`;
  if (Buffer.byteLength(text) > MAX_CASE_BYTES) {
    throw new CommandError(`${one.file}: the answers are more than ${MAX_CASE_BYTES} bytes`);
  }
  await writeFile(path.join(folder, one.file), text);
}

function bodyOf(headers: Iterable<readonly [string, string]>, body: Buffer): Partial<Fetch> {
  if (body.length === 0) return {};
  if (!isUtf8(body)) return { bodyBase64: body.toString("base64") };
  const text = body.toString();
  const type = new Map(headers).get("content-type") ?? "";
  return { body: /\bjson\b/.test(type) ? readValue(text) : text };
}

/** The value of JSON, if it is no text, which stands for itself. */
function readValue(text: string): Fetch["body"] {
  try {
    const value = JSON.parse(text) as Fetch["body"];
    return typeof value === "string" ? text : value;
  } catch {
    return text;
  }
}
