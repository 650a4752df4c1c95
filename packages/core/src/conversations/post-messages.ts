import { messages, type Queryable } from "@parley/db";
import {
  type AgentMessage,
  type ContentFragment,
  type CreateContentFragment,
  type PostedMessage,
  type PostMessage,
} from "@parley/schema";
import { and, desc, eq } from "drizzle-orm";
import { lockConversation, refuseTask, requireConversation } from "../access/conversation-reach.ts";
import { findActiveAgents, findAgentVersions } from "../agents/agents.ts";
import { requireEnforced } from "../agents/response-formats.ts";
import type { ConversationRow, MessageRow } from "../data-access/rows.ts";
import { inTransactionOnce } from "../idempotency.ts";
import { appendEvents } from "../log/append.ts";
import { listenForEnds } from "../log/listen-for-ends.ts";
import { fileUrl } from "../messages/read-messages.ts";
import {
  renderAgentMessage,
  renderContentFragment,
  renderUserMessage,
} from "../messages/render-messages.ts";
import { findClientServerIds } from "../tools/client-servers.ts";
import { requireModels } from "../workspaces/models.ts";
import { requireBudget } from "../usage/require-budget.ts";
import { undoStaleSummaries } from "../summaries/save-summary.ts";
import { messageOf, nextRank, refused, requireMessage, requireNewest, touch } from "./additions.ts";
import { resolveFragment, resolveFragments } from "./content-fragments.ts";
import type { ConversationContext } from "./conversation-context.ts";
import { warnAboutFiles } from "./file-warnings.ts";
import { freezeAgain } from "./freeze-values.ts";
import {
  announceTurn,
  buildEvents,
  buildMessages,
  emptyMessage,
  pausesOf,
  payerOf,
  resolveMessage,
  startingOf,
  toFiles,
} from "./new-messages.ts";
import { readAnswers } from "./read-answers.ts";
import { warnOfVainWait } from "./vain-waits.ts";
import { insertMessages } from "./write-messages.ts";

/**
 * Posts a message; each mentioned agent answers after its earlier turns. Throws `message_not_found` and
 * `version_conflict` for an `afterMessageId` that is not the newest message.
 */
export async function postMessage(
  context: ConversationContext,
  input: PostMessage & { cId: string },
): Promise<PostedMessage> {
  const { db: outside } = context.database;
  await requireConversation(outside, context, input.cId);
  const resolved = await resolveMessage(outside, context, { message: input, path: "" });
  const { user } = resolved;
  const { contentFragment, contentFragments, afterMessageId } = input;
  const given = { contentFragment, contentFragments };
  const fragments = await resolveFragments(outside, context, given);
  const ofFiles = await warnAboutFiles(context, fragments, resolved);
  const warnings = [...resolved.warnings, ...ofFiles];
  const { workspace } = context.caller;
  const payer = { conversationSid: input.cId, userId: user.id };
  await requireBudget(context, { agents: startingOf(resolved), ...payer });
  await context.reserveRunCapacity(workspace.id, "agent_turn", resolved.agents.length);
  const ids = await context.takeRowIds(fragments.length + 1 + resolved.agents.length);
  const making = messageOf(context, ids[fragments.length]);
  const created = await inTransactionOnce(context, making, async ({ db, afterCommit }) => {
    const row = await lockConversation(db, context, input.cId);
    refuseTask(row);
    const rank = await nextRank(db, row);
    if (afterMessageId !== undefined) await requireNewest(db, row, afterMessageId);
    const position = { workspaceId: row.workspaceId, conversationId: row.id, rank };
    const { skipToolsValidation = false } = input;
    const parts = { ids, fragments, resolved, conversation: row, skipToolsValidation };
    const built = buildMessages(context, position, parts);
    await touch(context, db, { row, added: built.messages });
    await insertMessages(db, built);
    const events = buildEvents(built, user);
    await appendEvents(db, [{ logId: row.sid, events }], afterCommit);
    if (built.turns.length > 0) {
      afterCommit.push({ topic: "runs", cause: "added", kind: "agent_turn" });
    }
    return built;
  });
  using pending = input.blocking
    ? listenForEnds(context, {
        logIds: created.turns.map((turn) => turn.message.sid),
        timeoutMs: context.blockingTimeoutMs,
        signal: context.signal,
        watchPauses: pausesOf(resolved),
      })
    : undefined;
  const agentMessages = await readAnswers(context, created.turns, await pending?.ends);
  const { blocking } = input;
  const vain = await warnOfVainWait(context, { blocking, answers: agentMessages });
  return {
    message: renderUserMessage(context, created.userMessage, user),
    agentMessages,
    ...(warnings.length + vain.length > 0 && { warnings: [...warnings, ...vain] }),
  };
}

/** Adds a content fragment after the messages of a conversation. */
export async function addContentFragment(
  context: ConversationContext,
  input: CreateContentFragment & { cId: string },
): Promise<{ contentFragment: ContentFragment }> {
  const { db: outside } = context.database;
  await requireConversation(outside, context, input.cId);
  const fragment = await resolveFragment(outside, context, { fragment: input, path: "" });
  const [id = 0] = await context.takeRowIds(1);
  return inTransactionOnce(context, messageOf(context, id), async ({ db }) => {
    const row = await lockConversation(db, context, input.cId);
    refuseTask(row);
    const rank = await nextRank(db, row);
    const position = { id, workspaceId: row.workspaceId, conversationId: row.id, rank };
    const message = { ...emptyMessage(context, position), ...fragment.columns };
    const files = toFiles(fragment, position);
    await touch(context, db, { row, added: [message] });
    await insertMessages(db, { messages: [message], files, turns: [] });
    return { contentFragment: renderContentFragment(message, fileUrl(context)) };
  });
}

/**
 * Answers again: a new version of an agent message, with its own log, at the same position. Throws
 * `message_not_found`, and `invalid_request_error` for what is not an answer or has not ended.
 */
export async function retryMessage(
  context: ConversationContext,
  input: { cId: string; mId: string },
): Promise<{ message: AgentMessage }> {
  const conversation = await requireConversation(context.database.db, context, input.cId);
  if (context.caller.isBudgeted) await requireBudgetOfRetry(context, conversation, input.mId);
  await context.reserveRunCapacity(context.caller.workspace.id, "agent_turn", 1);
  const [id = 0] = await context.takeRowIds(1);
  return inTransactionOnce(context, messageOf(context, id), async ({ db, afterCommit }) => {
    const row = await lockConversation(db, context, input.cId);
    refuseTask(row);
    const before = await requireRetryable(db, row, input.mId);
    const agentId = before.agentId ?? 0;
    const version = (await findAgentVersions(db, row.workspaceId, [agentId])).get(agentId);
    const sid = version?.sid ?? "";
    const agent = (await findActiveAgents(db, row.workspaceId, [sid])).get(sid);
    if (agent === undefined) throw refused("the agent is no longer active");
    requireModels(context.caller.workspace, before.modelSelection ?? undefined, [agent]);
    const models =
      before.modelSelection === null ? [agent, ...agent.fallbackModels] : [before.modelSelection];
    requireEnforced(before.responseFormat, models);
    const message: MessageRow = {
      ...emptyMessage(context, { ...before, id }),
      version: before.version + 1,
      type: before.type,
      agentId: agent.id,
      parentMessageId: before.parentMessageId,
      status: "created",
      modelSelection: before.modelSelection,
      responseFormat: before.responseFormat,
      answerSettings: before.answerSettings,
      promptValues: await freezeAgain(context, db, { agent, answer: before, conversation: row }),
      skipToolsValidation: before.skipToolsValidation,
      // Nobody lets an agent call what is in another's client.
      clientServerIds: await findClientServerIds(context, db, before.clientServerIds ?? []),
    };
    const payer = payerOf(context, context.caller.user);
    const reachedSpaceIds = context.caller.userToken?.spaceIds;
    const turn = { message, agent, origin: context.origin, payer, reachedSpaceIds };
    await touch(context, db, { row, added: [message] });
    await undoStaleSummaries(context, db, { conversationId: row.id, rank: message.rank });
    await insertMessages(db, { messages: [message], files: [], turns: [turn] });
    const events = [announceTurn(turn)];
    await appendEvents(db, [{ logId: row.sid, events }], afterCommit);
    afterCommit.push({ topic: "runs", cause: "added", kind: "agent_turn" });
    return { message: renderAgentMessage(context, message, { agent }) };
  });
}

async function requireBudgetOfRetry(
  context: ConversationContext,
  { id, sid: conversationSid, workspaceId }: ConversationRow,
  mId: string,
): Promise<void> {
  const { db } = context.database;
  const { agentId, modelSelection } = await requireMessage(db, { id }, mId);
  const versions = await findAgentVersions(db, workspaceId, agentId === null ? [] : [agentId]);
  const agents = startingOf({ agents: [...versions.values()], modelSelection });
  const userId = context.caller.user.id;
  await requireBudget(context, { agents, conversationSid, userId });
}

async function requireRetryable(
  db: Queryable,
  conversation: ConversationRow,
  sid: string,
): Promise<MessageRow> {
  const asked = await requireMessage(db, conversation, sid);
  if (asked.type !== "agent_message") throw refused("only an agent's message can be retried");
  const [newest] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.conversationId, conversation.id), eq(messages.rank, asked.rank)))
    .orderBy(desc(messages.version))
    .limit(1);
  if (newest === undefined) throw new Error(`The message ${sid} was deleted while it was locked`);
  if (newest.visibility === "deleted")
    throw refused("its question was edited and mentions other agents");
  if (newest.status === "created") throw refused("the answer has not ended: cancel it first");
  return newest;
}
