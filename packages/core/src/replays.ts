/**
 * What a request with an Idempotency-Key is answered when it comes again: what the first one made,
 * as it now is. Where that was deleted meanwhile, the answer is that it is unknown.
 */
import {
  type AgentMessage,
  type ContentFragment,
  type CreateConversation,
  type CreatedConversation,
  ParleyError,
  type PostedMessage,
  type PostMessage,
  type Success,
  type UserMessage,
  type Warning,
} from "@parley/schema";
import type { Context } from "./context.ts";
import { waitForEnds } from "./events/wait.ts";
import {
  type MessageReferences,
  renderAgentMessage,
  renderContentFragment,
  renderUserMessage,
  requireReference,
  toSpecified,
} from "./messages.ts";
import { warnAboutMentions } from "./new-messages.ts";
import { fileUrl, readMessages, type ReadMessages, readReferences } from "./read-messages.ts";
import type { ConversationRow, MessageRow } from "./rows.ts";
import { renderStored, requireConversation } from "./stored-conversations.ts";

/** Answers a create again; with `blocking`, once the agents that it started have ended. */
export async function replayConversation(
  context: Context,
  input: CreateConversation,
  made: string,
): Promise<CreatedConversation> {
  const isFirst = (message: MessageRow) => message.type === "user_message";
  const { blocking } = input;
  const posted = await readPosted(context, made, { isIt: isFirst, blocking });
  const { warnings, message } = await renderPosted(context, posted, "message.");
  const conversation = await renderStored(context, posted.conversation, posted.read);
  const content = conversation.content.map((versions) => versions.map(toSpecified));
  return {
    conversation: { ...conversation, content },
    message,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Answers a message that was posted again; with `blocking`, once its agents have ended. */
export async function replayPost(
  context: Context,
  input: PostMessage & { cId: string },
  made: string,
): Promise<PostedMessage> {
  const isIt = ({ id }: MessageRow) => id === Number(made);
  const posted = await readPosted(context, input.cId, { isIt, blocking: input.blocking });
  const { references, warnings, message } = await renderPosted(context, posted, "");
  return {
    message,
    agentMessages: posted.answers.map((row) => renderAnswer(row, references)),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Answers a content fragment that was added again. */
export async function replayContentFragment(
  context: Context,
  input: { cId: string },
  made: string,
): Promise<{ contentFragment: ContentFragment }> {
  const { message } = await readMade(context, input.cId, made);
  return { contentFragment: renderContentFragment(message, fileUrl(context)) };
}

/** Answers a retry that was asked for again. */
export async function replayRetry(
  context: Context,
  input: { cId: string },
  made: string,
): Promise<{ message: AgentMessage }> {
  const { db } = context.database;
  const { message, read } = await readMade(context, input.cId, made);
  const references = await readReferences(db, context, { ...read, messages: [message] });
  return { message: renderAnswer(message, references) };
}

/** Answers a cancel that was asked for again: nothing more is cancelled. */
export async function replayCancel(context: Context, input: { cId: string }): Promise<Success> {
  await requireConversation(context.database.db, context, input.cId);
  return { success: true };
}

/** A user's message with what was made together with it. */
interface Posted {
  readonly conversation: ConversationRow;
  readonly read: ReadMessages;
  readonly message: MessageRow;
  /** The agent messages that it started, not those of a retry. */
  readonly answers: readonly MessageRow[];
}

async function readPosted(
  context: Context,
  cId: string,
  options: { isIt: (message: MessageRow) => boolean; blocking: boolean | undefined },
): Promise<Posted> {
  const { db } = context.database;
  const look = async (): Promise<Posted> => {
    const conversation = await requireConversation(db, context, cId);
    const read = await readMessages(db, conversation.id);
    const message = requireMessage(read, options.isIt);
    const isAnswer = (row: MessageRow) => row.parentMessageId === message.sid && row.version === 0;
    return { conversation, read, message, answers: read.messages.filter(isAnswer) };
  };
  const posted = await look();
  const running = posted.answers.filter(({ status }) => status === "created");
  if (!options.blocking || running.length === 0) return posted;
  await waitForEnds(context, {
    logIds: running.map(({ sid }) => sid),
    timeoutMs: context.blockingTimeoutMs,
    signal: context.signal,
  });
  return look();
}

async function renderPosted(
  context: Context,
  { read, message, answers }: Posted,
  path: string,
): Promise<{ references: MessageReferences; warnings: Warning[]; message: UserMessage }> {
  const { db } = context.database;
  const messages = [message, ...answers];
  const references = await readReferences(db, context, { ...read, messages });
  const answering = new Set(
    answers.map((row) => requireReference(references.agents, row.agentId).sid),
  );
  return {
    references,
    warnings: warnAboutMentions(message.mentions ?? [], answering, path),
    message: renderUserMessage(message, requireReference(references.users, message.userId)),
  };
}

async function readMade(
  context: Context,
  cId: string,
  made: string,
): Promise<{ message: MessageRow; read: ReadMessages }> {
  const { db } = context.database;
  const { id } = await requireConversation(db, context, cId);
  const read = await readMessages(db, id);
  return { message: requireMessage(read, (row) => row.id === Number(made)), read };
}

function requireMessage(
  { messages }: ReadMessages,
  isIt: (message: MessageRow) => boolean,
): MessageRow {
  const found = messages.find(isIt);
  if (found === undefined) {
    throw new ParleyError("message_not_found", "The conversation has no such message");
  }
  return found;
}

function renderAnswer(row: MessageRow, { agents, actions }: MessageReferences): AgentMessage {
  return renderAgentMessage(row, requireReference(agents, row.agentId), actions.get(row.id) ?? []);
}
