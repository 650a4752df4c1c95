import { conversations, logs, type Queryable, statement } from "@parley/db";
import { type ConversationEvent, ParleyError } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import type { BriefAgent } from "../agents/agents.ts";
import type { Process } from "../context.ts";
import { nextRank } from "../conversations/additions.ts";
import { freezeValues } from "../conversations/freeze-values.ts";
import { buildEvents, emptyMessage, type NewTurn } from "../conversations/new-messages.ts";
import { insertMessages } from "../conversations/write-messages.ts";
import type { MessageRow } from "../data-access/rows.ts";
import type { Transaction } from "../log/transaction.ts";
import { addToSize, type ConversationLimits } from "../messages/conversation-size.ts";
import { type AskingTurn, keptTags, nobody, originWithin } from "./write-tasks.ts";

/** A handover that is about to be written. */
export interface Handover {
  readonly agent: BriefAgent;
  /** What the other agent should know. */
  readonly message: string | undefined;
  /** Numbers of its message and of the answer; taken outside the transaction that writes them. */
  readonly ids: readonly number[];
}

const countStatement = statement<{ logId: string }, { readonly count: number }>(
  "count_handovers",
  sql`
  with recursive before (log_id) as (
    select parent_log_id from runs where log_id = ${sql.placeholder("logId")}
    union all
    select r.parent_log_id from before join runs r on r.log_id = before.log_id
  )
  select count(*)::int as count from before where log_id is not null`,
);

/** How many handovers have led to an answer outside of tasks. */
export async function countHandovers(db: Queryable, logId: string): Promise<number> {
  const [row] = await countStatement.execute(db, { logId });
  return row?.count ?? 0;
}

// Whoever ends the answer that hands over wakes it: it is shown that answer.
const suspendStatement = statement<{ logId: string }>(
  "suspend_handover",
  sql`update runs set status = 'suspended', run_after = now() + interval '30 days'
  where log_id = ${sql.placeholder("logId")}`,
);

/** Why a conversation, which is locked, has no room for a handover; undefined if it has. */
export async function findNoRoom(
  db: Queryable,
  { conversationLimits }: { readonly conversationLimits: ConversationLimits },
  turn: AskingTurn["turn"],
  { message = "" }: Pick<Handover, "message">,
): Promise<string | undefined> {
  const before = await readSize(db, turn);
  const { responseFormat, answerSettings } = turn.message;
  const question = { content: message, responseFormat: null, answerSettings: null };
  const added = [question, { content: "", responseFormat, answerSettings }];
  try {
    if (before !== undefined) addToSize(conversationLimits, before, { added, path: "handover" });
    return undefined;
  } catch (error) {
    if (error instanceof ParleyError) return error.message;
    throw error;
  }
}

async function readSize(db: Queryable, { conversation }: AskingTurn["turn"]) {
  const [found] = await db
    .select({ row: conversations, answerBytes: logs.answerBytes })
    .from(conversations)
    .innerJoin(logs, eq(logs.id, conversations.sid))
    .where(eq(conversations.id, conversation.id));
  return found && { ...found.row, answerBytes: found.answerBytes };
}

/**
 * Writes the message that hands over, and the answer of the other agent, whose run is suspended until this turn has
 * ended. Gives their events.
 */
export async function writeHandover(
  core: Process & { readonly conversationLimits: ConversationLimits },
  { db, afterCommit }: Transaction,
  { run, turn, asker, askedBy }: AskingTurn,
  { agent, message, ids: [firstId = 0, secondId = 0] }: Handover,
): Promise<ConversationEvent[]> {
  const { message: own, conversation } = turn;
  const before = await readSize(db, turn);
  // It was deleted, and so was the log of this turn, which refuses the step.
  if (before === undefined) return [];
  const rank = await nextRank(db, before);
  const position = { workspaceId: own.workspaceId, conversationId: conversation.id };
  const context = {
    username: turn.agent.name,
    timezone: askedBy.timezone ?? "UTC",
    agenticMessageData: { type: "agent_handover" as const, originMessageId: own.sid },
    ...keptTags(askedBy),
  };
  const userMessage: MessageRow = {
    ...emptyMessage(core, { ...position, id: firstId, rank }),
    type: "user_message",
    content: message ?? `${turn.agent.name} hands over to ${agent.name}`,
    context,
    userId: askedBy.userId,
    mentions: [{ configurationId: agent.sid }],
  };
  const caller = { workspace: { name: asker.workspaceName } };
  const user = asker.user ?? nobody;
  const asking = { conversation, user, context };
  const answer: NewTurn = {
    agent,
    payer: { apiKeyId: run.apiKeyId, userId: run.userId },
    parentLogId: run.logId,
    // As those of the run that hands over.
    reachedSpaceIds: undefined,
    origin: originWithin(run, "answer"),
    message: {
      ...emptyMessage(core, { ...position, id: secondId, rank: rank + 1 }),
      type: "agent_message",
      agentId: agent.id,
      parentMessageId: userMessage.sid,
      status: "created",
      // It answers the same request.
      responseFormat: own.responseFormat,
      answerSettings: own.answerSettings,
      promptValues: freezeValues({ caller, now: core.now }, agent, asking),
      skipToolsValidation: own.skipToolsValidation,
      clientServerIds: own.clientServerIds,
    },
  };
  const added = [userMessage, answer.message];
  const size = addToSize(core.conversationLimits, before, { added, path: "handover" });
  await db
    .update(conversations)
    .set({ ...size, updatedAt: core.now() })
    .where(eq(conversations.id, conversation.id));
  await insertMessages(db, { messages: added, files: [], turns: [answer] });
  await suspendStatement.execute(db, { logId: answer.message.sid });
  afterCommit.push({ topic: "runs", cause: "added", kind: "agent_turn" });
  return asker.user === null ? [] : buildEvents({ userMessage, turns: [answer] }, asker.user);
}
