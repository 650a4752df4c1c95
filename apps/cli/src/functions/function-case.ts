import { CommandError } from "@parley/command/command-error";
import { AnyJson, InvocationErrorCode, RequestedTimezone, SecretName } from "@parley/schema";
import type { RecordedFetch } from "@parley/worker/local-functions";
import * as z from "zod";
import { parseFile, readJson } from "./parse-file.ts";
import { readFiles } from "./read-files.ts";

/** What a file with a case is called: it is beside the code, and not part of it. */
export const CASE_FILE = /\.case\.json$/;

const MAX_CASES = 200;
/** Of all cases of a function together. */
export const MAX_CASE_BYTES = 16_777_216;
const MAX_FETCHES = 1000;

const CaseFetch = z
  .strictObject({
    method: z
      .string()
      .regex(/^[A-Z]+$/, { error: "must be a method such as GET" })
      .default("GET"),
    url: z.url({ protocol: /^https?$/, error: "must be a URL" }),
    status: z.int().min(200).max(599).default(200),
    headers: z.record(z.string(), z.string()).default({}),
    body: AnyJson.optional(),
    bodyBase64: z.base64().optional(),
  })
  .refine(({ body, bodyBase64 }) => body === undefined || bodyBase64 === undefined, {
    error: "has body or bodyBase64, not both",
  });
export type CaseFetch = z.output<typeof CaseFetch>;

/** A file with a case: an input, what comes of it, and what servers answer meanwhile. */
export const CaseFile = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  input: AnyJson.default(null),
  timezone: RequestedTimezone.default("UTC"),
  secrets: z
    .record(SecretName, z.string().min(8, { error: "must have at least 8 characters" }))
    .default({}),
  result: AnyJson.optional(),
  error: z.strictObject({ code: InvocationErrorCode, message: z.string().optional() }).optional(),
  fetches: z.array(CaseFetch).max(MAX_FETCHES).optional(),
});
export type CaseFile = z.output<typeof CaseFile>;

/** A case of a function. */
export interface FunctionCase extends CaseFile {
  readonly name: string;
  /** Its path in the folder. */
  readonly file: string;
  /** The file as it was written. */
  readonly written: Readonly<Record<string, unknown>>;
}

/** Whether a case says what comes of it. */
export const isExpecting = (one: CaseFile): boolean =>
  Object.hasOwn(one, "result") || one.error !== undefined;

/** Reads the cases beside the code of a function, by their paths. Throws `CommandError`, which names the file. */
export async function readCases(folder: string): Promise<FunctionCase[]> {
  const files = await readFiles(folder, {
    takes: (name, kind) =>
      kind === "folder" ? !/^\.|^node_modules$/.test(name) : CASE_FILE.test(name),
    noun: "cases",
    maxFiles: MAX_CASES,
    maxBytes: MAX_CASE_BYTES,
  });
  return Object.entries(files).map(([file, text]) => {
    const written = readJson(text, file);
    const one = parseFile(CaseFile, written, file);
    if (Object.hasOwn(one, "result") && one.error !== undefined) {
      throw new CommandError(`${file}: has result or error, not both`);
    }
    const name = one.name ?? file.replace(CASE_FILE, "");
    return { ...one, name, file, written: written as FunctionCase["written"] };
  });
}

/** A recorded answer as code is given it: what is not text is JSON. */
export function toRecorded({ body, bodyBase64, ...one }: CaseFetch): RecordedFetch {
  if (bodyBase64 !== undefined) return { ...one, body: Buffer.from(bodyBase64, "base64") };
  if (body === undefined) return { ...one, body: Buffer.alloc(0) };
  if (typeof body === "string") return { ...one, body: Buffer.from(body) };
  const headers = { "content-type": "application/json", ...one.headers };
  return { ...one, headers, body: Buffer.from(JSON.stringify(body)) };
}
