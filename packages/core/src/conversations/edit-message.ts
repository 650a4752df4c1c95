import { messages, type Queryable, users } from "@parley/db";
import { type EditMessage, ParleyError, type PostedMessage } from "@parley/schema";
import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { lockConversation, refuseTask, requireConversation } from "../access/conversation-reach.ts";
import { findAgentVersions } from "../agents/agents.ts";
import type { Context } from "../context.ts";
import type { ConversationRow, MessageRow, UserRow } from "../data-access/rows.ts";
import { inTransactionOnce } from "../idempotency.ts";
import { appendEvents } from "../log/append.ts";
import { renderUserMessage } from "../messages/render-messages.ts";
import { undoStaleSummaries } from "../summaries/save-summary.ts";
import { requireBudget } from "../usage/require-budget.ts";
import { messageOf, nextRank, refused, requireMessage, touch } from "./additions.ts";
import type { ConversationContext } from "./conversation-context.ts";
import { freezeValues } from "./freeze-values.ts";
import {
  buildEvents,
  emptyMessage,
  type NewTurn,
  type ResolvedMessage,
  resolveMessage,
  payerOf,
  startingOf,
} from "./new-messages.ts";
import { readAnswers } from "./read-answers.ts";
import { insertMessages } from "./write-messages.ts";

/** What an edit does not change. */
const unset = {
  context: undefined,
  functionTools: undefined,
  toolChoice: undefined,
  parallelToolCalls: undefined,
  maxOutputTokens: undefined,
  temperature: undefined,
  instructions: undefined,
  metadata: undefined,
};

// What becomes of the answers: docs/decisions/edits-are-versions.md.

/**
 * Changes a user's message: a new version at the same position, which the mentioned agents answer. Throws
 * `message_not_found`, `app_auth_error` for another's message, and `invalid_request_error` for what is not
 * a user's message, or while one of its answers has not ended.
 */
export async function editMessage(
  context: ConversationContext,
  input: EditMessage & { cId: string; mId: string },
): Promise<PostedMessage> {
  const { db: outside } = context.database;
  const conversation = await requireConversation(outside, context, input.cId);
  const { answers, author } = await readEditable(outside, context, {
    conversation,
    sid: input.mId,
  });
  const { content, mentions } = input;
  // The model, the format and the tools that the message asked for stay.
  const modelSelection = answers[0]?.modelSelection ?? undefined;
  const responseFormat = answers[0]?.responseFormat ?? undefined;
  const message = { ...unset, content, mentions, modelSelection, responseFormat };
  const answerSettings = answers[0]?.answerSettings ?? null;
  const found = await resolveMessage(outside, context, { message, path: "" });
  const resolved = { ...found, answerSettings };
  const { agents, warnings } = resolved;
  const payer = { conversationSid: input.cId, userId: author.id };
  await requireBudget(context, { agents: startingOf(resolved), ...payer });
  await context.reserveRunCapacity(context.caller.workspace.id, "agent_turn", agents.length);
  const ids = await context.takeRowIds(1 + agents.length);
  const edited = await inTransactionOnce(
    context,
    messageOf(context, ids[0]),
    async ({ db, afterCommit }) => {
      const row = await lockConversation(db, context, input.cId);
      refuseTask(row);
      const before = await readEditable(db, context, { conversation: row, sid: input.mId });
      const { skipToolsValidation = false } = input;
      const endRank = await nextRank(db, row);
      const edit = { conversation: row, ids, endRank, resolved, skipToolsValidation };
      const built = buildEdit(context, before, edit);
      const added = [built.userMessage, ...built.turns.map((turn) => turn.message)];
      await touch(context, db, { row, added });
      await hidePositions(db, row, built.leftRanks);
      await undoStaleSummaries(context, db, { conversationId: row.id, rank: before.message.rank });
      await insertMessages(db, { messages: added, files: [], turns: built.turns });
      const events = buildEvents(built, before.author);
      await appendEvents(db, [{ logId: row.sid, events }], afterCommit);
      if (built.turns.length > 0) {
        afterCommit.push({ topic: "runs", cause: "added", kind: "agent_turn" });
      }
      return { ...built, author: before.author };
    },
  );
  return {
    message: renderUserMessage(context, edited.userMessage, edited.author),
    agentMessages: await readAnswers(context, edited.turns, undefined),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

/** The newest version of an answer, and whose it is. */
interface Answer extends Pick<
  MessageRow,
  "rank" | "version" | "modelSelection" | "responseFormat" | "answerSettings"
> {
  readonly agentSid: string | undefined;
}

/** A message that may be edited, in its newest version. */
interface Editable {
  readonly message: MessageRow;
  readonly author: UserRow;
  /** Of all versions of the message, by position. */
  readonly answers: readonly Answer[];
}

async function readEditable(
  db: Queryable,
  context: Context,
  { conversation, sid }: { conversation: ConversationRow; sid: string },
): Promise<Editable> {
  const ofConversation = eq(messages.conversationId, conversation.id);
  const asked = await requireMessage(db, conversation, sid);
  if (asked.type !== "user_message") throw refused("only a user's message can be edited");
  const versions = await db
    .select()
    .from(messages)
    .where(and(ofConversation, eq(messages.rank, asked.rank)))
    .orderBy(asc(messages.version));
  const message = versions.at(-1);
  if (message === undefined) throw new Error(`The message ${sid} was deleted while it was read`);
  const author = await requireAuthor(db, context, { conversation, message });
  const { rank, version, status, agentId, modelSelection } = messages;
  const { responseFormat, answerSettings } = messages;
  const sids = versions.map((one) => one.sid);
  const found = await db
    .select({ rank, version, status, agentId, modelSelection, responseFormat, answerSettings })
    .from(messages)
    .where(and(ofConversation, gt(rank, asked.rank), inArray(messages.parentMessageId, sids)))
    .orderBy(asc(rank), asc(version));
  const newest = [...new Map(found.map((row) => [row.rank, row])).values()];
  if (newest.some((row) => row.status === "created")) {
    throw refused("an agent is still answering it: cancel that answer first");
  }
  const agentIds = newest.map((row) => row.agentId ?? 0);
  const agents = await findAgentVersions(db, conversation.workspaceId, agentIds);
  const answers = newest.map((row) => ({ ...row, agentSid: agents.get(row.agentId ?? 0)?.sid }));
  return { message, author, answers };
}

/**
 * The author of a message, if the caller may edit it: that user, or the key under which the conversation
 * was created. Other keys may have posted into it as their own service users.
 */
async function requireAuthor(
  db: Queryable,
  { caller }: Context,
  { conversation, message }: { conversation: ConversationRow; message: MessageRow },
): Promise<UserRow> {
  const [author] = await db
    .select()
    .from(users)
    .where(and(eq(users.workspaceId, conversation.workspaceId), eq(users.id, message.userId ?? 0)));
  if (author === undefined) throw new Error(`The message ${message.sid} has no author`);
  if (author.id === caller.user.id) return author;
  const isServiceUser = author.email === "" && author.externalId === null;
  const isOfKey = caller.userToken === undefined && conversation.apiKeyId === caller.apiKey.id;
  if (isOfKey && !isServiceUser) return author;
  throw new ParleyError("app_auth_error", "Only its author may edit a message");
}

/**
 * Builds the rows of an edit. An agent that has answered the message before answers at the same position;
 * others answer at the end of the conversation.
 */
function buildEdit(
  context: ConversationContext,
  { message, author, answers }: Editable,
  edit: {
    conversation: ConversationRow;
    ids: readonly number[];
    endRank: number;
    resolved: ResolvedMessage;
    skipToolsValidation: boolean;
  },
) {
  const { conversation, ids, resolved, skipToolsValidation } = edit;
  const asking = { conversation, user: author, context: message.context };
  const userMessage: MessageRow = {
    ...emptyMessage(context, { ...message, id: ids[0] ?? 0 }),
    version: message.version + 1,
    type: message.type,
    content: resolved.message.content,
    context: message.context,
    userId: message.userId,
    mentions: resolved.message.mentions,
  };
  let { endRank } = edit;
  const turns = resolved.agents.map((agent, index): NewTurn => {
    const before = answers.find(({ agentSid }) => agentSid === agent.sid);
    const position = { ...message, id: ids[index + 1] ?? 0, rank: before?.rank ?? endRank++ };
    const answer: MessageRow = {
      ...emptyMessage(context, position),
      version: before === undefined ? 0 : before.version + 1,
      type: "agent_message",
      agentId: agent.id,
      parentMessageId: userMessage.sid,
      status: "created",
      modelSelection: resolved.modelSelection,
      responseFormat: resolved.responseFormat,
      answerSettings: resolved.answerSettings,
      promptValues: freezeValues(context, agent, asking),
      skipToolsValidation,
    };
    const payer = payerOf(context, author);
    const reachedSpaceIds = context.caller.userToken?.spaceIds;
    return { message: answer, agent, origin: context.origin, payer, reachedSpaceIds };
  });
  const kept = new Set(turns.map((turn) => turn.message.rank));
  const leftRanks = answers.map(({ rank }) => rank).filter((rank) => !kept.has(rank));
  return { userMessage, turns, leftRanks };
}

/** Hides answers of agents that the edited message no longer asks: agents do not read them either. */
async function hidePositions(
  db: Queryable,
  conversation: ConversationRow,
  ranks: readonly number[],
): Promise<void> {
  if (ranks.length === 0) return;
  await db
    .update(messages)
    .set({ visibility: "deleted" })
    .where(and(eq(messages.conversationId, conversation.id), inArray(messages.rank, [...ranks])));
}
