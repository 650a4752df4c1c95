import { actions, conversations, messages, runs } from "@parley/db";
import { and, asc, eq, or } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";

export { answerQuestion } from "../src/calls/ask-user.ts";
export { listTasks } from "../src/conversations/list-tasks.ts";
export { listBlockedActions } from "../src/calls/blocked-actions.ts";
export { readRunTrace } from "../src/traces/read-trace.ts";
export { deleteConversation, listConversations } from "../src/conversations/conversations.ts";

/** An answer of a tree of agents, with its run. */
export interface TestAnswer {
  readonly conversationId: string;
  readonly messageId: string;
  readonly agentSid: string;
  readonly depth: number;
  readonly status: string | null;
  readonly content: string;
  readonly run: string;
  readonly outcome: string | null;
  /** The answer that asked for it. */
  readonly parentLogId: string | null;
  /** States of its calls, in order. */
  readonly calls: readonly string[];
}

/** All answers in a conversation and in the tasks below it, from the first one on. */
export async function readTestTree(core: Core, conversationId: string): Promise<TestAnswer[]> {
  const { db } = core.database;
  const [root] = await db.select().from(conversations).where(eq(conversations.sid, conversationId));
  if (root === undefined) return [];
  const rows = await db
    .select({ conversation: conversations, message: messages, run: runs })
    .from(conversations)
    .innerJoin(messages, eq(messages.conversationId, conversations.id))
    .innerJoin(runs, eq(runs.logId, messages.sid))
    .where(
      and(
        or(eq(conversations.id, root.id), eq(conversations.rootId, root.id)),
        eq(messages.type, "agent_message"),
      ),
    )
    .orderBy(asc(runs.id));
  const answers: TestAnswer[] = [];
  for (const { conversation, message, run } of rows) {
    const calls = await db
      .select({ status: actions.status })
      .from(actions)
      .where(eq(actions.messageId, message.id))
      .orderBy(asc(actions.step), asc(actions.position));
    const agent = run.orderingKey?.split("/")[1] ?? "";
    answers.push({
      conversationId: conversation.sid,
      messageId: message.sid,
      agentSid: agent,
      depth: conversation.depth,
      status: message.status,
      content: message.content,
      run: run.status,
      outcome: run.outcome,
      parentLogId: run.parentLogId,
      calls: calls.map(({ status }) => status),
    });
  }
  return answers;
}
