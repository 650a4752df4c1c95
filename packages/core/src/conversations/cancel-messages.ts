import { actions, events, messages, type Queryable, runs, statement } from "@parley/db";
import type { MessageEvent, Success } from "@parley/schema";
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import { findAgentVersions } from "../agents/agents.ts";
import type { Process } from "../context.ts";
import { fromColumns, jsonValues } from "../data-access/row-json.ts";
import type { ConversationRow, MessageRow } from "../data-access/rows.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { appendEvents } from "../log/append.ts";
import { lockLogs, fenceLogs } from "../log/lock-logs.ts";
import type { Transaction } from "../log/transaction.ts";
import { setTokens, tokensOf } from "../messages/consumption-sums.ts";
import { sizeOfAnswer } from "../messages/conversation-size.ts";
import { wakeTurns } from "../runs/suspend-turns.ts";
import { wakeNextOf } from "../runs/wake-runs.ts";
import { closeCalls, readRunningCalls } from "../calls/open-calls.ts";

/**
 * Ends running agent messages with the text they have published, and stops their models, functions and tasks.
 * Ignores what has ended, is not an agent's, or is not in the conversation.
 */
export async function cancelMessages(
  context: KeyedContext,
  input: { cId: string; messageIds: readonly string[] },
): Promise<Success> {
  const conversation = await requireConversation(context.database.db, context, input.cId);
  await inTransactionOnce(context, { id: conversation.sid }, async (transaction) =>
    endMessages(context, transaction, { conversation, messageIds: input.messageIds }),
  );
  return { success: true };
}

/** What `cancelMessages` does, in a transaction of the caller's. */
export async function endMessages(
  core: Pick<Process, "now">,
  transaction: Transaction,
  asking: {
    readonly conversation: Pick<ConversationRow, "id">;
    readonly messageIds: readonly string[];
  },
): Promise<void> {
  const { conversation, messageIds } = asking;
  const sids = JSON.stringify(messageIds);
  const tree = await treeStatement.execute(transaction.db, {
    sids,
    conversationId: conversation.id,
  });
  await endTree(core, transaction, tree);
}

/** Ends the tasks of an answer, and those of them, in a transaction of the caller's. */
export async function endTasksOf(
  core: Pick<Process, "now">,
  transaction: Transaction,
  logIds: readonly string[],
): Promise<void> {
  const values = { logIds: JSON.stringify(logIds) };
  await endTree(core, transaction, await belowStatement.execute(transaction.db, values));
}

interface Ending {
  readonly message: object;
  readonly conversationSid: string;
}

// An answer, and below it what it has asked other agents for and what it has handed over to them.
const withTree = (first: SQL) => sql`
  with recursive tree (sid) as (
    select m.sid from messages m ${first} and m.status = 'created'
    union all
    select m.sid from tree join runs r on r.parent_log_id = tree.sid
    join messages m on m.sid = r.log_id and m.status = 'created'
  )
  select to_json(m) as message, c.sid as "conversationSid"
  from tree join messages m on m.sid = tree.sid join conversations c on c.id = m.conversation_id
  order by m.sid`;

const treeStatement = statement<{ sids: string; conversationId: number }, Ending>(
  "find_tree_of_answers",
  withTree(sql`
    where m.conversation_id = ${sql.placeholder("conversationId")}
      and m.sid in ${jsonValues(sql.placeholder("sids"))}`),
);

const belowStatement = statement<{ logIds: string }, Ending>(
  "find_tree_below_answers",
  withTree(sql`
    join runs r on r.log_id = m.sid where r.parent_log_id in ${jsonValues(sql.placeholder("logIds"))}`),
);

const finishStatement = statement<
  { logIds: string; now: number },
  { readonly parentLogId: string | null }
>(
  "finish_cancelled_turns",
  sql`
  update runs set status = 'finished', lease_until = null, finished_at = ${sql.placeholder("now")},
    outcome = 'cancelled', ${setTokens}
  from messages m, ${tokensOf(sql`m.steps`)}
  where m.sid = runs.log_id and runs.log_id in ${jsonValues(sql.placeholder("logIds"))}
  returning runs.parent_log_id as "parentLogId"`,
);

/** Ends answers with those below them; of a tree, all locks are taken first, in the order of the logs. */
async function endTree(
  core: Pick<Process, "now">,
  transaction: Transaction,
  tree: readonly Ending[],
): Promise<void> {
  if (tree.length === 0) return;
  const { db, afterCommit } = transaction;
  const asked = tree.map(({ message, conversationSid }) => {
    return { ...fromColumns<MessageRow>(message), conversationSid };
  });
  const running = await readRunningCalls(
    db,
    asked.map(({ id }) => id),
  );
  const sids = asked.map((row) => row.sid);
  const conversationSids = [...new Set(asked.map((row) => row.conversationSid))];
  await lockLogs(db, [...conversationSids, ...sids, ...running]);
  const fences = await fenceLogs(db, sids);
  const agentIds = asked.map((row) => row.agentId ?? 0);
  const agents = await findAgentVersions(db, asked[0]?.workspaceId ?? 0, agentIds);
  const now = core.now();
  // Others ended before their logs were locked.
  const ended = asked.filter(({ sid }) => fences.has(sid));
  if (ended.length === 0) return;
  for (const row of ended) {
    const said = await readPublished(db, row);
    const configurationId = agents.get(row.agentId ?? 0)?.sid ?? "";
    const about = { created: now, configurationId, messageId: row.sid };
    const guard = { logId: row.sid, fence: fences.get(row.sid)! };
    const cancelled = { type: "agent_generation_cancelled", ...about, step: said.step } as const;
    const done = {
      type: "agent_message_done",
      ...about,
      conversationId: row.conversationSid,
      status: "error",
    } as const;
    const appends = [
      { logId: row.sid, events: [cancelled], guard },
      { logId: row.conversationSid, events: [done], guard, answerBytes: said.bytes },
    ];
    await appendEvents(db, appends, afterCommit);
    const { content, chainOfThought, rawContents } = said;
    await db
      .update(messages)
      .set({ status: "cancelled", content, chainOfThought, rawContents, finishedAt: now })
      .where(eq(messages.sid, row.sid));
  }
  const hadTasks = await closeCalls(
    core,
    transaction,
    ended.map(({ id }) => id),
  );
  const logIds = ended.map(({ sid }) => sid);
  const ofEnded = inArray(runs.logId, logIds);
  const values = { logIds: JSON.stringify(logIds), now };
  const finished = await finishStatement.execute(db, values);
  const endedRuns = sql`(select ${runs.orderingKey}, ${runs.id} from ${runs} where ${ofEnded})`;
  await db.execute(wakeNextOf(endedRuns));
  afterCommit.push({ topic: "runs", cause: "ended", logIds });
  const parents = finished.flatMap(({ parentLogId }) => parentLogId ?? []);
  await wakeTurns(
    db,
    [...new Set(parents)].filter((logId) => !fences.has(logId)),
    afterCommit,
  );
  // What was started between the look and the locks.
  if (hadTasks) await endTasksOf(core, transaction, logIds);
}

/** What a message has published: the tokens of its log, without what its worker has not written. */
async function readPublished(db: Queryable, row: MessageRow) {
  const published = await db
    .select({ payload: events.payload })
    .from(events)
    .where(and(eq(events.logId, row.sid), eq(events.type, "generation_tokens")))
    .orderBy(asc(events.seq));
  const steps = new Map<number, string>();
  let reasoning = "";
  for (const { payload } of published) {
    // Written by this program: the log holds what `MessageEvent` describes.
    const event = JSON.parse(payload) as Extract<MessageEvent, { type: "generation_tokens" }>;
    if (event.classification === "tokens") {
      steps.set(event.step, (steps.get(event.step) ?? "") + event.text);
    } else if (event.classification === "chain_of_thought") reasoning += event.text;
  }
  const rawContents = [...steps].map(([step, content]) => ({ step, content }));
  const said = {
    content: rawContents.map(({ content }) => content).join(""),
    chainOfThought: reasoning === "" ? null : reasoning,
  };
  const called = await db.select().from(actions).where(eq(actions.messageId, row.id));
  const bytes = sizeOfAnswer(said, called);
  return { ...said, step: rawContents.at(-1)?.step ?? 0, rawContents, bytes };
}
