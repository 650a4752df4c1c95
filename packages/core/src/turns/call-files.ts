import { actions, conversations, invocations, messages } from "@parley/db";
import { type GeneratedFile, toStorable } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Process } from "../context.ts";
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
 * conversation, which was deleted meanwhile, nothing is stored.
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
      .for("key share", { of: conversations });
    if (found === undefined) return [];
    const rows = files.map(({ name, contentType, bytes }, index) => ({
      ...found,
      id: ids[index] ?? 0,
      sid: core.newId("fil"),
      fileName: name,
      contentType,
      useCase: "tool_output",
      createdAt: core.now(),
      bytes,
    }));
    await insertFiles(db, rows);
    return rows.map(({ sid, fileName, contentType, bytes }): GeneratedFile => {
      const isText = contentType.startsWith("text/") || contentType === "application/json";
      const beginning = isText
        ? Buffer.from(bytes).toString("utf8", 0, 4 * SNIPPET_CHARACTERS)
        : "";
      return {
        fileId: sid,
        filePath: fileName,
        title: fileName,
        contentType,
        snippet: isText ? toStorable(beginning.slice(0, SNIPPET_CHARACTERS)) : null,
        hidden: false,
        isInProjectContext: false,
      };
    });
  });
}
