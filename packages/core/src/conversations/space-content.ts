import { conversations, files, type Queryable } from "@parley/db";
import type {
  Conversation,
  ListProjectFiles,
  ListSpaceConversationIds,
  ListSpaceConversations,
  ProjectFiles,
  ProjectMetadata,
  SpaceConversationIds,
  SpaceConversations,
} from "@parley/schema";
import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { isListed, reachesConversation } from "../access/conversation-reach.ts";
import { requireSpace } from "../access/space-reach.ts";
import type { Context } from "../context.ts";
import type { ConversationRow, SpaceRow } from "../data-access/rows.ts";
import type { MessageContext } from "../messages/read-messages.ts";
import { activity } from "./conversation-activity.ts";
import { asIs, renderStored } from "./conversation-content.ts";
import { takePage } from "../data-access/pages.ts";

const MAX_FILES = 1000;
/** Conversations for callers that get an array of all of them, which is in memory as a whole. */
const MAX_IN_MEMORY = 20;

interface SpacePage {
  readonly limit: number;
  readonly lastValue: string | undefined;
}

/** Lists the ids of the conversations of a space that the caller reaches. Throws `space_not_found`. */
export async function listSpaceConversationIds(
  context: Context,
  { spaceId, ...page }: { spaceId: string } & ListSpaceConversationIds,
): Promise<SpaceConversationIds> {
  const { db } = context.database;
  const space = await requireOwnSpace(db, context, spaceId);
  const { page: rows, end } = await readPage(db, context, { space, page });
  return { conversationIds: rows.map(({ sid }) => sid), ...end };
}

/**
 * Lists the conversations of a space that the caller reaches, with their messages: callers that stream
 * responses get all of them, others the newest page of each. Throws `space_not_found`.
 */
export async function listSpaceConversations(
  context: MessageContext,
  { spaceId, updatedSince, limit, lastValue }: { spaceId: string } & ListSpaceConversations,
): Promise<SpaceConversations> {
  const { db } = context.database;
  const space = await requireOwnSpace(db, context, spaceId);
  const isStreamed = context.streamsAnswers === true;
  const page = { limit: isStreamed ? limit : Math.min(limit, MAX_IN_MEMORY), lastValue };
  const updated = sql`greatest(${conversations.updatedAt}, coalesce(${activity.lastActivityAt}, 0))`;
  const condition = updatedSince === undefined ? undefined : gte(updated, updatedSince);
  const { page: rows, end } = await readPage(db, context, { space, page, condition });
  const contents = readContents(context, rows);
  if (!isStreamed) return { conversations: await Array.fromAsync(contents), ...end };
  // A caller that streams takes an async iterable in place of an array.
  return { conversations: contents as unknown as Conversation[], ...end };
}

async function* readContents(
  context: MessageContext,
  rows: readonly ConversationRow[],
): AsyncGenerator<Conversation, void, undefined> {
  for (const row of rows) yield (await renderStored(context, row, asIs)).conversation;
}

/** A space as a project. Throws `space_not_found`. */
export async function getProjectMetadata(
  context: Context,
  { spaceId }: { spaceId: string },
): Promise<{ metadata: ProjectMetadata }> {
  const row = await requireOwnSpace(context.database.db, context, spaceId);
  const { sid, createdAt, updatedAt } = row;
  const shared = { sId: sid, spaceId: sid, createdAt, updatedAt };
  return { metadata: { ...shared, description: null, archivedAt: null, members: [] } };
}

/** Lists the files of a space's conversations that the caller reaches. Throws `space_not_found`. */
export async function listProjectFiles(
  context: Context,
  { spaceId, updatedSince }: { spaceId: string } & ListProjectFiles,
): Promise<ProjectFiles> {
  const { db } = context.database;
  const space = await requireOwnSpace(db, context, spaceId);
  const { sid, fileName, contentType, sizeBytes, createdAt } = files;
  const rows = await db
    .select({ sid, fileName, contentType, sizeBytes, createdAt, cId: conversations.sid })
    .from(files)
    .innerJoin(conversations, eq(conversations.id, files.conversationId))
    .where(
      and(
        eq(conversations.spaceId, space.id),
        reachesConversation(context),
        updatedSince === undefined ? undefined : gte(createdAt, updatedSince),
      ),
    )
    .orderBy(desc(files.id))
    .limit(MAX_FILES);
  return {
    files: rows.map((row) => ({
      isDirectory: false,
      fileName: row.fileName,
      path: `${row.cId}/${row.fileName}`,
      sizeBytes: row.sizeBytes,
      lastModifiedMs: row.createdAt,
      contentType: row.contentType,
      fileId: row.sid,
      thumbnailUrl: null,
      signedDownloadUrl: null,
    })),
  };
}

function requireOwnSpace(db: Queryable, { caller }: Context, sid: string): Promise<SpaceRow> {
  return requireSpace(db, caller, { workspaceId: caller.workspace.id, sid });
}

/** A page of the conversations of a space that the caller reaches, the newest first. */
async function readPage(
  db: Queryable,
  context: Context,
  { space, page, condition }: { space: SpaceRow; page: SpacePage; condition?: SQL | undefined },
) {
  const { position, spaceId } = conversations;
  const { limit, lastValue } = page;
  const rows = await db
    .select()
    .from(conversations)
    .where(
      and(
        eq(spaceId, space.id),
        reachesConversation(context),
        isListed,
        // The value is `p` and a position.
        lastValue === undefined ? undefined : lt(position, Number(lastValue.slice(1))),
        condition,
      ),
    )
    .orderBy(desc(position))
    .limit(limit + 1);
  return takePage(rows, { limit }, (row) => `p${row.position}`);
}
