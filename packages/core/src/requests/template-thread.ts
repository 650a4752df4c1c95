// May run in a thread: see untrusted/thread.ts. Finds in the body of a request the texts that rows hold, so that
// they are stored once.
import { createHash } from "node:crypto";
import type { RequestReference, RequestTemplate } from "@parley/db";
import type { RecordedRequest } from "@parley/schema";

/** A text that a row holds. */
export interface SourceText {
  readonly text: string;
  readonly reference: RequestReference;
}

/** The body of a request, and what of it rows hold. */
export interface SentBody {
  /** In place of the base64 of each file stand `marker`, its index in `files`, and a semicolon. */
  readonly json: string;
  readonly marker: string;
  readonly files: readonly RequestReference[];
  readonly sources: readonly SourceText[];
}

type Part = RecordedRequest["tokensByPart"][number]["part"];

/** What is stored of a body. */
export interface StoredBody {
  readonly template: RequestTemplate;
  /** What the template refers to and no row holds, by its hash. */
  readonly pieces: Readonly<Record<string, string>>;
  /** Bytes of the parts, without files. */
  readonly parts: Readonly<Partial<Record<Part, number>>>;
}

/** Characters by which texts are found; a shorter one is hardly longer than a reference to it. */
const WINDOW = 64;
/** What no row holds is stored once for each conversation from this length on. */
const MIN_PIECE_CHARACTERS = 1024;
/** Characters of texts of rows that are compared with the body's: many may begin alike. */
const MAX_COMPARED_CHARACTERS = 64 * 1024 * 1024;

const instructionMembers = ["system", "instructions", "systemInstruction"];
const messageMembers = ["messages", "input", "contents"];

/** The part that a member of a body belongs to; of messages, each for itself. */
function partOf(member: string, message?: unknown): Part {
  if (member === "tools") return "tools";
  if (instructionMembers.includes(member)) return "instructions";
  if (!messageMembers.includes(member)) return "other";
  const { role, type, content, parts } = (message ?? {}) as Record<string, unknown>;
  if (role === "system" || role === "developer") return "instructions";
  if (role === "tool" || type === "function_call_output") return "results";
  if (role === "assistant" || role === "model" || role === undefined) return "answers";
  return [content, parts].some(holdsResults) ? "results" : "messages";
}

function holdsResults(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  const [first] = content as Record<string, unknown>[];
  return first?.["type"] === "tool_result" || first?.["functionResponse"] !== undefined;
}

/** JSON of a string without its quotation marks. */
export const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Replaces in a body what rows hold by references to them; what is left stays as JSON, long JSON as pieces. */
export function describeBody(sent: SentBody): StoredBody {
  const writer = createWriter(sent);
  writer.writeBody(JSON.parse(sent.json));
  const { template, parts, pieces, render } = writer;
  // Not written by JSON.stringify: nothing is known of it but its files.
  const isSame = template.map(render).join("") === sent.json;
  const kept = isSame ? template : asPieces(sent, pieces);
  const used = new Set(kept.map((one) => pieceOf(one)));
  const usedPieces = Object.entries(pieces).filter(([sha256]) => used.has(sha256));
  return { template: kept, pieces: Object.fromEntries(usedPieces), parts };
}

const pieceOf = (one: RequestTemplate[number]): string | undefined =>
  typeof one !== "string" && "piece" in one ? one.piece : undefined;

function toPiece(text: string, pieces: Record<string, string>): RequestReference {
  const piece = createHash("sha256").update(text).digest("hex");
  pieces[piece] = text;
  return { piece };
}

function asPieces(sent: SentBody, pieces: Record<string, string>): RequestTemplate {
  return splitAtFiles(sent, sent.json).map((one) =>
    typeof one === "string" ? toPiece(one, pieces) : one.reference,
  );
}

/** A text, divided at the files in it; what stands in their place is their text. */
function splitAtFiles({ marker, files }: SentBody, text: string): (string | SourceText)[] {
  if (files.length === 0 || !text.includes(marker)) return text === "" ? [] : [text];
  const pattern = new RegExp(`${marker}(\\d+);`);
  return text.split(pattern).flatMap((one, index): (string | SourceText)[] => {
    if (index % 2 === 0) return one === "" ? [] : [one];
    return [{ text: `${marker}${one};`, reference: files[Number(one)]! }];
  });
}

function createWriter(sent: SentBody) {
  const pieces: Record<string, string> = {};
  const parts: Partial<Record<Part, number>> = {};
  const texts = new Map<RequestReference, string>();
  const find = createFinder(sent.sources);
  let part: Part = "other";
  let template: (string | RequestReference)[] = [];

  const count = (text: string): void => {
    parts[part] = (parts[part] ?? 0) + Buffer.byteLength(text);
  };
  const push = (one: string | RequestReference): void => {
    const last = template.length - 1;
    const before = template[last];
    if (typeof one === "string" && typeof before === "string") template[last] = before + one;
    else template.push(one);
  };
  const write = (json: string): void => {
    count(json);
    push(json.length < MIN_PIECE_CHARACTERS ? json : toPiece(json, pieces));
  };
  const writeText = (text: string): void => {
    write('"');
    for (const one of splitAtFiles(sent, text)) {
      if (typeof one !== "string") {
        texts.set(one.reference, one.text);
        push(one.reference);
        continue;
      }
      for (const found of find(one)) {
        if (typeof found === "string") write(escapeText(found));
        else {
          const escaped = escapeText(found.text);
          count(escaped);
          texts.set(found.reference, escaped);
          push(found.reference);
        }
      }
    }
    write('"');
  };
  const writeValue = (value: unknown): void => {
    if (typeof value === "string") return writeText(value);
    if (typeof value !== "object" || value === null) return write(JSON.stringify(value));
    const isList = Array.isArray(value);
    write(isList ? "[" : "{");
    for (const [index, [name, one]] of Object.entries(value).entries()) {
      const comma = index === 0 ? "" : ",";
      write(isList ? comma : `${comma}${JSON.stringify(name)}:`);
      writeValue(one);
    }
    write(isList ? "]" : "}");
  };
  /** Writes a value as one piece if it is long and no row holds anything of it. */
  const writeWhole = (value: unknown): void => {
    const before = { template, bytes: parts[part] ?? 0 };
    template = [];
    writeValue(value);
    const own = template;
    ({ template } = before);
    if (own.every((one) => typeof one === "string" || pieceOf(one) !== undefined)) {
      parts[part] = before.bytes;
      write(JSON.stringify(value));
    } else for (const one of own) push(one);
  };
  const writeBody = (body: unknown): void => {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return writeValue(body);
    write("{");
    for (const [index, [name, value]] of Object.entries(body).entries()) {
      part = "other";
      write(`${index === 0 ? "" : ","}${JSON.stringify(name)}:`);
      part = partOf(name);
      if (!messageMembers.includes(name) || !Array.isArray(value)) {
        writeWhole(value);
        continue;
      }
      part = "other";
      write("[");
      for (const [position, message] of (value as unknown[]).entries()) {
        if (position > 0) write(",");
        part = partOf(name, message);
        writeValue(message);
      }
      part = "other";
      write("]");
    }
    part = "other";
    write("}");
  };
  return {
    writeBody,
    pieces,
    parts,
    get template() {
      return template;
    },
    render: (one: string | RequestReference): string => {
      if (typeof one === "string") return one;
      return ("piece" in one ? pieces[one.piece] : texts.get(one)) ?? "";
    },
  };
}

/** Creates what divides a text into the texts of rows that are in it, and the rest. */
function createFinder(sources: readonly SourceText[]): (text: string) => (string | SourceText)[] {
  const byBeginning = new Map<number, SourceText[]>();
  for (const source of sources) {
    if (source.text.length < WINDOW) continue;
    const hash = hashOf(source.text, 0);
    const same = byBeginning.get(hash) ?? [];
    same.push(source);
    byBeginning.set(hash, same);
  }
  // Of texts that begin alike, the longest; of equal ones, the first one's row.
  for (const same of byBeginning.values()) same.sort((a, b) => b.text.length - a.text.length);
  let left = MAX_COMPARED_CHARACTERS;
  const findAt = (text: string, at: number, hash: number): SourceText | undefined =>
    byBeginning.get(hash)?.find((source) => {
      left -= source.text.length;
      return left > 0 && text.startsWith(source.text, at);
    });
  return (text) => {
    const found: (string | SourceText)[] = [];
    let rest = 0;
    let at = 0;
    let hash = text.length < WINDOW ? 0 : hashOf(text, 0);
    while (at + WINDOW <= text.length) {
      const source = findAt(text, at, hash);
      if (source === undefined) {
        hash = roll(hash, text.charCodeAt(at), text.charCodeAt(at + WINDOW));
        at++;
        continue;
      }
      if (rest < at) found.push(text.slice(rest, at));
      found.push(source);
      at += source.text.length;
      rest = at;
      if (at + WINDOW <= text.length) hash = hashOf(text, at);
    }
    if (rest < text.length) found.push(text.slice(rest));
    return found;
  };
}

const FACTOR = 0x01_00_01_93;
/** The factor of the character that leaves the window. */
const LEAVING = Array.from({ length: WINDOW }).reduce<number>(
  (power) => Math.imul(power, FACTOR),
  1,
);

/** A rolling hash of the characters of a window. */
function hashOf(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + WINDOW; index++) {
    hash = (Math.imul(hash, FACTOR) + text.charCodeAt(index)) | 0;
  }
  return hash;
}

const roll = (hash: number, leaving: number, entering: number): number =>
  (Math.imul(hash, FACTOR) - Math.imul(leaving, LEAVING) + entering) | 0;
