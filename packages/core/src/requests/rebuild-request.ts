/** Puts the body of a recorded request together again, from what rows hold now. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import {
  actions,
  agents,
  conversationSummaries,
  messages,
  type RequestReference,
  type RequestTemplate,
  requestPieces,
} from "@parley/db";
import type { RecordedRequest } from "@parley/schema";
import { and, eq, inArray, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { textOfOutput } from "../calls/tool-results.ts";
import type { Process } from "../context.ts";
import { findStoredFile, readBytes } from "../files/file-bytes.ts";
import { escapeText } from "./template-thread.ts";

/** Where the rows of a template are. */
export interface RequestPlace {
  readonly workspaceId: number;
  readonly conversationId: number;
}

type Missing = RecordedRequest["missing"][number];

/** Base64 of these bytes has no padding, so that a file is encoded piece by piece. */
const BASE64_BYTES = 3;

/** What a reference names, as callers are told of it. */
function nameOf(reference: RequestReference): Missing {
  if ("message" in reference) return { kind: "message", id: reference.message };
  if ("instructions" in reference)
    return { kind: "instructions", id: String(reference.instructions) };
  if ("summary" in reference) return { kind: "summary", id: String(reference.summary) };
  if ("file" in reference) return { kind: "file", id: reference.file };
  if ("piece" in reference) return { kind: "piece", id: reference.piece };
  const { answer, step } = reference;
  return "call" in reference
    ? { kind: "call", id: reference.call, step }
    : { kind: "answer", id: answer, step };
}

const keyOf = (reference: RequestReference): string => JSON.stringify(reference);

/** The texts that the references of a template stand for, as they are in JSON; without those that are gone. */
async function readTexts(
  { database }: Pick<Process, "database">,
  place: RequestPlace,
  template: RequestTemplate,
): Promise<Map<string, string>> {
  const { db } = database;
  const references = template.filter((one) => typeof one !== "string");
  const texts = new Map<string, string>();
  const add = (reference: RequestReference, text: string | null | undefined) => {
    if (text != null) texts.set(keyOf(reference), escapeText(text));
  };
  const ofPlace = (table: { workspaceId: AnyPgColumn; conversationId: AnyPgColumn }): SQL =>
    and(eq(table.workspaceId, place.workspaceId), eq(table.conversationId, place.conversationId))!;
  const isVisible = and(ofPlace(messages), eq(messages.visibility, "visible"));

  const named = references.flatMap((one) => ("message" in one ? one.message : []));
  if (named.length > 0) {
    const rows = await db
      .select({ sid: messages.sid, content: messages.content })
      .from(messages)
      .where(and(isVisible, inArray(messages.sid, named)));
    for (const { sid, content } of rows) add({ message: sid }, content);
  }
  const steps = references.flatMap((one) => ("answer" in one ? one : []));
  const answers = [...new Set(steps.map(({ answer }) => answer))];
  if (answers.length > 0) {
    const isNamed = and(isVisible, inArray(messages.sid, answers));
    const rows = await db
      .select({ sid: messages.sid, contents: messages.rawContents })
      .from(messages)
      .where(isNamed);
    for (const { sid, contents } of rows) {
      for (const { step, content } of contents ?? []) add({ answer: sid, step }, content);
    }
    const called = [
      ...new Set(
        steps.flatMap((one) => ("call" in one && typeof one.call === "string" ? one.call : [])),
      ),
    ];
    const calls =
      called.length === 0
        ? []
        : await db
            .select({
              answer: messages.sid,
              step: actions.step,
              call: actions.functionCallId,
              output: actions.output,
            })
            .from(messages)
            .innerJoin(actions, eq(actions.messageId, messages.id))
            .where(and(isNamed, inArray(actions.functionCallId, called)));
    for (const { output, ...call } of calls) add(call, output && textOfOutput(output));
  }
  const versions = references.flatMap((one) => ("instructions" in one ? one.instructions : []));
  if (versions.length > 0) {
    const rows = await db
      .select({ id: agents.id, instructions: agents.instructions })
      .from(agents)
      .where(and(eq(agents.workspaceId, place.workspaceId), inArray(agents.id, versions)));
    for (const { id, instructions } of rows) add({ instructions: id }, instructions);
  }
  const numbers = references.flatMap((one) => ("summary" in one ? one.summary : []));
  if (numbers.length > 0) {
    const { number, text } = conversationSummaries;
    const rows = await db
      .select({ number, text })
      .from(conversationSummaries)
      .where(and(ofPlace(conversationSummaries), inArray(number, numbers)));
    for (const row of rows) add({ summary: row.number }, row.text);
  }
  const hashes = references.flatMap((one) => ("piece" in one ? one.piece : []));
  if (hashes.length > 0) {
    const { sha256, text } = requestPieces;
    const rows = await db
      .select({ sha256, text })
      .from(requestPieces)
      .where(and(ofPlace(requestPieces), inArray(sha256, hashes)));
    for (const row of rows) texts.set(keyOf({ piece: row.sha256 }), row.text);
  }
  return texts;
}

/** A body as it can be put together now. */
export interface RebuiltBody {
  readonly body: string;
  readonly missing: Missing[];
  /** SHA-256 of the bytes with the files in them; undefined if something is missing. */
  readonly sha256: string | undefined;
}

/** Rebuilds the body of a template. Files are read piece by piece, for the hash alone. */
export async function rebuildBody(
  core: Process,
  place: RequestPlace,
  template: RequestTemplate,
): Promise<RebuiltBody> {
  const texts = await readTexts(core, place, template);
  const hash = createHash("sha256");
  const missing = new Map<string, Missing>();
  let body = "";
  for (const one of template) {
    const text = typeof one === "string" ? one : texts.get(keyOf(one));
    if (text !== undefined) {
      body += text;
      hash.update(text);
      // Other requests come between the parts of a long body.
      if (text.length > MAX_HASHED_AT_ONCE) await setImmediate();
      continue;
    }
    // Only texts were strings.
    const reference = one as RequestReference;
    const name = nameOf(reference);
    // oxlint-disable-next-line no-await-in-loop -- the hash is of the bytes in their order
    const isRead = "file" in reference && (await hashFile(core, place, reference, hash));
    if (!isRead) missing.set(keyOf(reference), name);
    body += isRead ? `{{file:${name.id}}}` : `{{missing:${name.id}}}`;
  }
  const sha256 = missing.size === 0 ? hash.digest("hex") : undefined;
  return { body, missing: [...missing.values()], sha256 };
}

const MAX_HASHED_AT_ONCE = 256 * 1024;

/** Adds the base64 of a file to a hash; false if the file is gone, or has other bytes. */
async function hashFile(
  core: Process,
  { workspaceId }: RequestPlace,
  { file: fileId, sha256 }: Extract<RequestReference, { file: string }>,
  hash: ReturnType<typeof createHash>,
): Promise<boolean> {
  const file = await findStoredFile(core, { workspaceId, fileId });
  if (file === undefined || file.sha256 !== sha256) return false;
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of readBytes(core, file.id, { start: 0, end: file.sizeBytes })) {
      const bytes = Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % BASE64_BYTES);
      hash.update(bytes.subarray(0, whole).toString("base64"));
      rest = bytes.subarray(whole);
    }
  } catch (error) {
    // It was deleted while it was read.
    if ((await findStoredFile(core, { workspaceId, fileId })) === undefined) return false;
    throw error;
  }
  hash.update(rest.toString("base64"));
  return true;
}
