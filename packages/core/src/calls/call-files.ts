import {
  actions,
  conversations,
  files as stored,
  invocations,
  messages,
  type Queryable,
} from "@parley/db";
import { type GeneratedFile, toStorable } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { MessageRow } from "../data-access/rows.ts";
import { freeName, GENERATED, generatedPath } from "../files/generated-files.ts";
import { insertFiles } from "../files/insert-files.ts";
import { inTransaction } from "../log/transaction.ts";

const SNIPPET_CHARACTERS = 256;

/** A file that a call has made. */
export interface CallFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/**
 * Stores the files that a call of an agent has made, for the readers of its conversation. Without a
 * conversation, which was deleted in the meantime, nothing is stored.
 */
export async function storeCallFiles(
  core: Process,
  { invocationId, files }: { invocationId: string; files: readonly CallFile[] },
): Promise<GeneratedFile[]> {
  if (files.length === 0) return [];
  const ids = await core.takeRowIds(files.length);
  return inTransaction(core, async ({ db }) => {
    const [found] = await db
      .select({ conversationId: conversations.id, workspaceId: conversations.workspaceId })
      .from(invocations)
      .innerJoin(actions, eq(actions.id, invocations.actionId))
      .innerJoin(messages, eq(messages.sid, actions.logId))
      .innerJoin(conversations, eq(conversations.id, messages.conversationId))
      .where(eq(invocations.sid, invocationId))
      // Calls of a conversation wait for each other: names are unique in it.
      .for("no key update", { of: conversations });
    if (found === undefined) return [];
    return insertCallFiles(core, db, { conversation: found, ids, files });
  });
}

/** Stores files under numbers of their own, in the transaction that has locked their conversation. */
export async function insertCallFiles(
  core: Pick<Process, "newId" | "now">,
  db: Queryable,
  {
    conversation: { conversationId, workspaceId },
    ids,
    files,
  }: {
    readonly conversation: Pick<MessageRow, "conversationId" | "workspaceId">;
    readonly ids: readonly number[];
    readonly files: readonly CallFile[];
  },
): Promise<GeneratedFile[]> {
  const named = await db
    .select({ fileName: stored.fileName })
    .from(stored)
    .where(and(eq(stored.conversationId, conversationId), eq(stored.useCase, GENERATED)));
  const taken = new Set(named.map(({ fileName }) => fileName));
  const rows = files.map(({ name, contentType, bytes }, index) => {
    const fileName = freeName(name, taken);
    taken.add(fileName);
    return {
      workspaceId,
      conversationId,
      id: ids[index] ?? 0,
      sid: core.newId("fil"),
      fileName,
      contentType,
      useCase: GENERATED,
      createdAt: core.now(),
      bytes,
    };
  });
  await insertFiles(db, rows);
  return rows.map(({ sid, fileName, contentType, bytes }): GeneratedFile => {
    const isText = contentType.startsWith("text/") || contentType === "application/json";
    const beginning = isText ? Buffer.from(bytes).toString("utf8", 0, 4 * SNIPPET_CHARACTERS) : "";
    return {
      fileId: sid,
      filePath: generatedPath(fileName),
      title: fileName,
      contentType,
      snippet: isText ? toStorable(beginning.slice(0, SNIPPET_CHARACTERS)) : null,
      hidden: false,
      isInProjectContext: false,
    };
  });
}

/** A part of an output that refers to a file. */
export function referenceTo({ fileId, title: name, contentType: mimeType }: GeneratedFile) {
  return {
    type: "resource_link",
    uri: `parley://files/${fileId}`,
    name,
    mimeType,
    fileId,
  } as const;
}
