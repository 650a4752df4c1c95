import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type DocumentFailure, type DocumentKind, MAX_DOCUMENT_PAGES } from "@parley/schema";
import * as z from "zod";
import { entryFile } from "../entry-file.ts";
import type { User } from "../other-user.ts";
import { type EndedProgram, runWatched } from "../processes/run-watched.ts";
import { createProgramUser } from "../program-user.ts";
import type { Extraction, ExtractionQuestion } from "./question.ts";

const MIB = 1_048_576;

/** What an extraction may use. */
export interface ExtractionLimits {
  readonly timeoutMs: number;
  readonly cpuMs: number;
  /** Memory of the process, its program included. */
  readonly memoryBytes: number;
  readonly maxCharacters: number;
}

/** A PDF of 5000 pages takes 10 s of a processor and 200 MiB. */
const usual: ExtractionLimits = {
  // Three times its processor time, where others use the processors too.
  timeoutMs: 60_000,
  cpuMs: 20_000,
  memoryBytes: 384 * MIB,
  maxCharacters: 128 * 1024,
};
/** Parts of an archive, unpacked: the text of a large book takes 10 MiB with its marks. */
const MAX_UNPACKED_BYTES = 256 * MIB;
/** Between two looks of the watch; Node reserves 1.1 GiB without using them. */
const ADDRESS_BYTES = 1792 * MIB;
/** A character takes up to six bytes in JSON. */
const ANSWER_FACTOR = 6;
const NOTES_BYTES = 65_536;

const failures = ["encrypted", "damaged", "wrong_type", "no_text", "unknown_characters"] as const;
const limited = ["too_complex", "too_many_pages"] as const;
const Answer: z.ZodType<Extraction> = z.union([
  z.object({ text: z.string() }),
  z.object({ failure: z.enum([...failures, ...limited]), is: z.string().max(200).optional() }),
]);
const Counted = z.object({ pages: z.int().min(1).max(0x7f_ff_ff_ff) });

export interface ExtractedDocument {
  readonly kind: DocumentKind;
  /** Its bytes, of which no more is read than the process takes. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
}

/**
 * Extracts the text of a document that a stranger wrote, in a process of its own: without the environment, files and
 * network of this one, under a watch of time, memory and output; if this one is root, as a user that nothing else runs
 * as. What is wrong with the document is a failure, and so is a process that was ended from outside (`interrupted`).
 * Throws the reason of the signal, and errors of reading the bytes.
 */
export async function extractDocument(
  document: ExtractedDocument,
  limits: Partial<ExtractionLimits> = {},
): Promise<Extraction> {
  const used = { ...usual, ...limits };
  const ended = await runExtractor(document, used, await findUser());
  const { counted, answer } = readSaid(ended);
  if (answer !== undefined) return { ...answer, ...counted };
  const failure = failureOf(ended);
  if (failure === undefined) throw new Error("The extractor broke", { cause: ended.errors });
  return { failure, ...counted };
}

/** What an extractor said, in whole lines: it is killed as soon as it has answered, if not before. */
function readSaid({ output }: EndedProgram) {
  const lines = output.toString().split("\n").slice(0, -1);
  const said = lines.map((line) => z.union([Answer, Counted]).parse(JSON.parse(line)));
  return {
    answer: said.find((one) => "text" in one || "failure" in one),
    counted: said.find((one) => "pages" in one),
  };
}

function runExtractor(
  { kind, bytes, signal }: ExtractedDocument,
  { maxCharacters, ...limits }: ExtractionLimits,
  user: User | undefined,
): Promise<EndedProgram> {
  const question: ExtractionQuestion = {
    kind,
    maxCharacters,
    maxPages: MAX_DOCUMENT_PAGES,
    maxUnpackedBytes: MAX_UNPACKED_BYTES,
  };
  const outputBytes = ANSWER_FACTOR * maxCharacters + NOTES_BYTES;
  const entry = entryFile("extract-entry");
  return runWatched({
    command: [process.execPath, ...nodeArguments(entry, limits.memoryBytes), entry],
    env: {},
    input: withQuestion(question, bytes),
    limits: { ...limits, addressBytes: ADDRESS_BYTES, outputBytes },
    user,
    ...(signal && { signal }),
  });
}

async function* withQuestion(
  question: ExtractionQuestion,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(`${JSON.stringify(question)}\n`);
  yield* bytes;
}

/** It may read its own code and packages; it may write nothing, start nothing and call nobody. */
function nodeArguments(entry: string, memoryBytes: number): string[] {
  const packages = createRequire(entry).resolve.paths("unpdf") ?? [];
  const readable = [path.dirname(entry), ...packages.filter((folder) => existsSync(folder))];
  return [
    "--permission",
    ...readable.map((folder) => `--allow-fs-read=${folder}${path.sep}*`),
    "--no-warnings",
    "--v8-pool-size=1",
    `--max-old-space-size=${Math.floor((memoryBytes * 3) / 4 / MIB)}`,
    "--disable-proto=delete",
  ];
}

/** The user that extractors of root become: that of the sandbox, if it can read the extractor. */
const findUser = createProgramUser(async (user) => {
  const document = async function* () {
    yield Buffer.from("{\\rtf1 text}");
  };
  try {
    const ended = await runExtractor({ kind: "rtf", bytes: document() }, usual, user);
    // What was ended for what it used could read the extractor.
    return readSaid(ended).answer !== undefined || ended.exceeded !== undefined;
  } catch {
    return false;
  }
});

/** Why a process was ended; undefined if it ended by itself and wrote what it had to. */
function failureOf({ status, errors, exceeded }: EndedProgram): DocumentFailure | undefined {
  // A machine that is busy may have given it no time.
  if (exceeded === "time") return "too_slow";
  if (exceeded !== undefined) return "too_complex";
  const isFull = status !== 0 && /out of memory|cannot allocate memory|heap limit/i.test(errors);
  if (isFull || /Array buffer allocation failed/.test(errors)) return "too_complex";
  return status === null ? "interrupted" : undefined;
}
