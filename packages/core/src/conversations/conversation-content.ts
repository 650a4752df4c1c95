/**
 * The content of a conversation. It may be far larger than a process should hold for each reader, so it
 * is read a page at a time: callers that stream their response get all of it, others the newest page.
 */
import type {
  ConversationMessage,
  ConversationPart,
  ConversationSummary,
  GetConversation,
  WorkspaceRole,
} from "@parley/schema";
import { requireConversation } from "../access/conversation-reach.ts";
import type { ConversationRow } from "../data-access/rows.ts";
import {
  firstPlace,
  lastPlace,
  type MessageContext,
  type MessagePage,
  type Place,
  readMessagePage,
  type ReadMessages,
  referencesOf,
} from "../messages/read-messages.ts";
import { renderMessage } from "../messages/render-messages.ts";
import { waitsForUser } from "../calls/call-states.ts";
import { readActivity } from "./conversation-activity.ts";
import type { Context } from "../context.ts";
import { renderWorkspace } from "../workspaces/workspaces.ts";

/** Positions of a page by default. */
const PAGE_POSITIONS = 100;

/**
 * A conversation with its messages, all versions of each; of the whole, or of the newest positions
 * before `lastValue`.
 */
export async function getConversation(
  context: MessageContext,
  input: { cId: string } & Partial<GetConversation>,
): Promise<ConversationPart> {
  const row = await requireConversation(context.database.db, context, input.cId);
  const { limit, lastValue } = input;
  if (limit === undefined && lastValue === undefined) return renderStored(context, row, asIs);
  return renderNewest(context, row, {
    show: asIs,
    maxPositions: limit ?? PAGE_POSITIONS,
    before: lastValue === undefined ? lastPlace : parsePlace(lastValue),
  });
}

/** Shows a message as it is rendered. */
export const asIs = (message: ConversationMessage): ConversationMessage => message;

function parsePlace(lastValue: string): Place {
  const [rank = 0, version = 0] = lastValue.split(".").map(Number);
  return { rank, version };
}

type Show<Shown> = (message: ConversationMessage) => Shown;

/** A conversation, or a page of it, with its messages as they are shown. */
type StoredPart<Shown> = Omit<ConversationPart, "conversation"> & {
  conversation: ConversationSummary & { content: Shown[][] };
};

/**
 * A stored conversation as the wire shows it, each message rendered by `show`. If it is larger than a
 * page, callers that stream responses get content that is read while the response is written; others
 * get the newest page with `hasMore`.
 */
export async function renderStored<Shown>(
  context: MessageContext,
  row: ConversationRow,
  show: Show<Shown>,
): Promise<StoredPart<Shown>> {
  const short = await renderShort(context, row, show);
  if (short !== undefined) return short;
  if (context.streamsAnswers !== true) {
    return renderNewest(context, row, { show, before: lastPlace, maxPositions: PAGE_POSITIONS });
  }
  const summary = renderConversation(context, row, await readActivity(context.database.db, row.id));
  // Its first page is read again when it is written: a response that waits for its turn holds nothing.
  const content = readAll(context, row, show);
  // A caller that streams takes an async iterable in place of an array.
  return { conversation: { ...summary, content: content as unknown as Shown[][] } };
}

/** A conversation that is no larger than a page. */
async function renderShort<Shown>(
  context: MessageContext,
  row: ConversationRow,
  show: Show<Shown>,
): Promise<StoredPart<Shown> | undefined> {
  const page = await readMessagePage(context.database.db, { conversation: row, after: firstPlace });
  if (!page.isLast) return undefined;
  const content = await renderPage(context, page, show);
  return { conversation: { ...renderConversation(context, row, activityOf(page)), content } };
}

function activityOf({ messages, actions }: ReadMessages) {
  const times = messages.map(({ createdAt, finishedAt }) => Math.max(createdAt, finishedAt ?? 0));
  const actionRequired = actions
    .values()
    .some((calls) => calls.some(({ status }) => waitsForUser(status)));
  return { lastActivityAt: Math.max(0, ...times), actionRequired };
}

async function renderPage<Shown>(
  context: MessageContext,
  page: MessagePage,
  show: Show<Shown>,
): Promise<Shown[][]> {
  const references = await referencesOf(context, page);
  return Map.groupBy(page.messages, ({ rank }) => rank)
    .values()
    .map((versions) => versions.map((version) => show(renderMessage(version, references))))
    .toArray();
}

async function renderNewest<Shown>(
  context: MessageContext,
  row: ConversationRow,
  { show, before, maxPositions }: { show: Show<Shown>; before: Place; maxPositions: number },
): Promise<StoredPart<Shown>> {
  const { db } = context.database;
  const page = await readMessagePage(db, { conversation: row, before, maxPositions });
  const activity = page.activity ?? (await readActivity(db, row.id));
  const summary = renderConversation(context, row, activity);
  const [oldest] = page.messages;
  return {
    conversation: { ...summary, content: await renderPage(context, page, show) },
    hasMore: !page.isLast,
    lastValue: oldest === undefined ? null : `${oldest.rank}.${oldest.version}`,
  };
}

/**
 * The positions of a conversation, read on demand a page at a time; nothing is held of those that were taken. The
 * versions of a page's last position, which may continue on the next page, come as an async iterable, which is to
 * be read to its end.
 */
async function* readAll<Shown>(
  context: MessageContext,
  row: ConversationRow,
  show: Show<Shown>,
): AsyncGenerator<Shown[] | AsyncIterable<Shown>> {
  let positions: Shown[][] = [];
  let isLast = false;
  let end: Place = firstPlace;
  /** Reads the next page, and gives the position that it begins with. */
  const readNext = async (): Promise<number | undefined> => {
    const page = await readMessagePage(context.database.db, { conversation: row, after: end });
    positions = await renderPage(context, page, show);
    const last = page.messages.at(-1);
    isLast = page.isLast || last === undefined;
    if (last !== undefined) end = { rank: last.rank, version: last.version };
    return page.messages[0]?.rank;
  };
  /** The versions of a page's last position, and those on the next pages. */
  async function* readVersions(): AsyncGenerator<Shown> {
    const { rank } = end;
    do {
      const versions = positions.shift() ?? [];
      for (let next = versions.shift(); next !== undefined; next = versions.shift()) yield next;
    } while (positions.length === 0 && !isLast && (await readNext()) === rank);
  }
  await readNext();
  for (;;) {
    while (positions.length > 1) yield positions.shift() ?? [];
    if (isLast) return yield* positions;
    yield readVersions();
  }
}

/**
 * A conversation without its messages as the wire shows it. `lastActivityAt` is when something last
 * happened in it, an agent's answer included; `actionRequired`, whether a call waits for approval.
 */
export function renderConversation(
  context: Context,
  row: Omit<ConversationRow, "position">,
  {
    lastActivityAt = row.updatedAt,
    actionRequired = false,
  }: { lastActivityAt?: number; actionRequired?: boolean } = {},
): ConversationSummary {
  const { workspace, apiKey } = context.caller;
  const updated = Math.max(row.updatedAt, lastActivityAt);
  return {
    id: row.id,
    sId: row.sid,
    created: row.createdAt,
    updated,
    owner: renderWorkspace(workspace, apiKey.role as WorkspaceRole),
    title: row.title,
    // Temporary ones are unlisted too.
    visibility: "unlisted",
    unread: updated > row.readAt,
    actionRequired,
    url: `${context.publicUrl}/w/${workspace.sid}/conversation/${row.sid}`,
    requestedGroupIds: [],
  };
}
