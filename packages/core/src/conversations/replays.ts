/**
 * Responses to repeated requests with an Idempotency-Key: what the first one created, as it now is, or
 * that it is unknown if it was deleted in the meantime.
 */
import { hasRow, messages } from "@parley/db";
import {
  type AgentMessage,
  type ContentFragment,
  type CreateConversation,
  type CreatedConversation,
  ParleyError,
  type PostedMessage,
  type PostMessage,
  type UserMessage,
  type Warning,
} from "@parley/schema";
import { and, asc, between, eq, gte, not, or, type SQL, sql } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import type { ConversationRow, MessageRow } from "../data-access/rows.ts";
import { watchOutputs } from "../calls/application-tools.ts";
import { listenForEnds } from "../log/listen-for-ends.ts";
import {
  type MessageContext,
  fileUrl,
  readMessages,
  type ReadMessages,
  readReferences,
} from "../messages/read-messages.ts";
import {
  type MessageReferences,
  renderAnswer,
  renderContentFragment,
  renderUserMessage,
  requireReference,
  toSpecified,
} from "../messages/render-messages.ts";
import { renderStored } from "./conversation-content.ts";
import { warnAboutMentions, warnAboutServers } from "./new-messages.ts";
import { warnOfVainWait } from "./vain-waits.ts";

/** Agents that a message may mention. */
const MAX_MENTIONS = 50;

/** Replays a create; with `blocking`, once the agents that it started have ended. */
export async function replayConversation(
  context: MessageContext,
  input: CreateConversation,
  createdId: string,
): Promise<CreatedConversation> {
  const condition = eq(messages.type, "user_message");
  const { blocking } = input;
  const posted = await readPosted(context, createdId, { condition, blocking });
  const options = { path: "message.", blocking };
  const { warnings, message } = await renderPosted(context, posted, options);
  const stored = await renderStored(context, posted.conversation, toSpecified);
  const { conversation, hasMore = false } = stored;
  if (hasMore) warnings.push(cutShort);
  return { conversation, message, ...(warnings.length > 0 && { warnings }) };
}

/** The warning of a response without all of a conversation. */
const cutShort = {
  path: "conversation.content",
  message:
    "The conversation is long; this is its newest part. Read the rest with conversations.get",
};

/** Replays a post; with `blocking`, once its agents have ended. */
export async function replayPost(
  context: MessageContext,
  input: PostMessage & { cId: string },
  createdId: string,
): Promise<PostedMessage> {
  const condition = eq(messages.id, Number(createdId));
  const { blocking } = input;
  const posted = await readPosted(context, input.cId, { condition, blocking });
  return renderReplay(context, posted, { path: "", blocking });
}

/** Replays an edit. */
export async function replayEdit(
  context: MessageContext,
  input: { cId: string },
  createdId: string,
): Promise<PostedMessage> {
  const condition = eq(messages.id, Number(createdId));
  const posted = await readPosted(context, input.cId, { condition, isEdit: true });
  return renderReplay(context, posted, { path: "", blocking: false });
}

async function renderReplay(
  context: MessageContext,
  posted: Posted,
  options: { path: string; blocking: boolean | undefined },
): Promise<PostedMessage> {
  const { references, warnings, message } = await renderPosted(context, posted, options);
  const rankOf = ({ configuration }: AgentMessage) =>
    message.mentions.findIndex(({ configurationId }) => configurationId === configuration.sId);
  const agentMessages = posted.answers
    .map((row) => renderAnswer(row, references))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  return { message, agentMessages, ...(warnings.length > 0 && { warnings }) };
}

/** Replays the addition of a content fragment. */
export async function replayContentFragment(
  context: MessageContext,
  input: { cId: string },
  createdId: string,
): Promise<{ contentFragment: ContentFragment }> {
  const { message } = await readCreated(context, input.cId, createdId);
  return { contentFragment: renderContentFragment(message, fileUrl(context)) };
}

/** Replays a retry. */
export async function replayRetry(
  context: MessageContext,
  input: { cId: string },
  createdId: string,
): Promise<{ message: AgentMessage }> {
  const { db } = context.database;
  const { message, read } = await readCreated(context, input.cId, createdId);
  const references = await readReferences(db, context, read);
  return { message: renderAnswer(message, references) };
}

/** The condition that an answer follows another to the same message: it was made by a retry. */
const isRetry = hasRow(sql`
  from messages earlier
  where earlier.conversation_id = ${messages.conversationId} and earlier.rank = ${messages.rank}
    and earlier.version = ${messages.version} - 1
    and earlier.parent_message_id = ${messages.parentMessageId}`);

/** A user's message with what was created together with it. */
interface Posted {
  readonly conversation: ConversationRow;
  /** The message and its answers. */
  readonly read: ReadMessages;
  readonly message: MessageRow;
  /** The agent messages that it started, not those of a retry. */
  readonly answers: readonly MessageRow[];
}

async function readPosted(
  context: MessageContext,
  cId: string,
  options: { condition: SQL; blocking?: boolean | undefined; isEdit?: boolean },
): Promise<Posted> {
  const { db } = context.database;
  const look = async (): Promise<Posted> => {
    const conversation = await requireConversation(db, context, cId);
    const ofConversation = eq(messages.conversationId, conversation.id);
    const [found] = await db
      .select({ rank: messages.rank, sid: messages.sid })
      .from(messages)
      .where(and(ofConversation, options.condition))
      .orderBy(asc(messages.rank), asc(messages.version))
      .limit(1);
    const { rank, sid } = requireFound(found);
    const isAnswer = and(eq(messages.parentMessageId, sid), not(isRetry));
    // Its answers follow it, one for each agent that it mentions; those of an edit may be further down.
    const isNear = options.isEdit
      ? gte(messages.rank, rank)
      : between(messages.rank, rank, rank + MAX_MENTIONS);
    const isPosted = or(eq(messages.sid, sid), isAnswer);
    const read = await readMessages(db, and(ofConversation, isNear, isPosted));
    const [message, ...answers] = read.messages;
    return { conversation, read, message: requireFound(message), answers };
  };
  const posted = await look();
  const running = posted.answers.filter(({ status }) => status === "created");
  if (!options.blocking || running.length === 0) return posted;
  await listenForEnds(context, {
    logIds: running.map(({ sid }) => sid),
    timeoutMs: context.blockingTimeoutMs,
    signal: context.signal,
    watchPauses: watchOutputs,
  }).ends;
  return look().catch((error: unknown) => {
    context.onLateFailure(error);
    return posted;
  });
}

async function renderPosted(
  context: MessageContext,
  { read, message, answers }: Posted,
  { path, blocking }: { path: string; blocking: boolean | undefined },
): Promise<{ references: MessageReferences; warnings: Warning[]; message: UserMessage }> {
  const { db } = context.database;
  const references = await readReferences(db, context, read);
  const { agents, users } = references;
  const answering = new Set(answers.map((row) => requireReference(agents, row.agentId).sid));
  const user = requireReference(users, message.userId);
  // The answers have those servers that were there.
  const named = answers.length === 0 ? [] : (message.context?.clientSideMCPServerIds ?? []);
  const servers = answers.flatMap(({ clientServerIds }) => clientServerIds ?? []);
  return {
    references,
    warnings: [
      ...warnAboutMentions(message.mentions ?? [], answering, path),
      ...warnAboutServers(named, servers, path),
      ...(await warnOfVainWait(context, { blocking, answers })),
    ],
    message: renderUserMessage(context, message, user),
  };
}

async function readCreated(
  context: MessageContext,
  cId: string,
  createdId: string,
): Promise<{ message: MessageRow; read: ReadMessages }> {
  const { db } = context.database;
  const { id } = await requireConversation(db, context, cId);
  const condition = and(eq(messages.conversationId, id), eq(messages.id, Number(createdId)));
  const read = await readMessages(db, condition);
  return { message: requireFound(read.messages[0]), read };
}

function requireFound<Row>(row: Row | undefined): Row {
  if (row !== undefined) return row;
  throw new ParleyError("message_not_found", "The conversation has no such message");
}
