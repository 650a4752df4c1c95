/** Reads the rows that a trace is derived from. */
import {
  actions,
  agents,
  conversationSummaries,
  invocations,
  messages,
  type Queryable,
  runs,
  sandboxFunctions,
  type StoredStep,
} from "@parley/db";
import { MAX_LONG_TEXTS, MAX_SHORT_TEXT, MAX_SPAN_TEXT, type SpanText } from "@parley/schema";
import { and, type AnyColumn, asc, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { RunRow } from "../data-access/rows.ts";
import { readTasks, type TaskRun } from "./read-tasks.ts";
import type {
  Traced,
  TracedAnswer,
  TracedCall,
  TracedInvocation,
  TracedSummary,
} from "./traced-rows.ts";

/** Calls and summaries that a trace looks at. */
const MAX_CALLS = 1000;
const MAX_SUMMARIES = 20;

/** Tasks that a trace has, those of tasks among them. */
const MAX_TASKS = 50;

/** The rows of a run with those of the tasks of its answer; undefined if they are deleted. */
export async function readTracedTree(db: Queryable, run: RunRow): Promise<Traced | undefined> {
  if (run.kind !== "agent_turn") return readTraced(db, run);
  const answer = await readAnswer(db, run);
  return answer && { ...answer, ...(await addTasks(db, answer, { left: MAX_TASKS })) };
}

/** An answer whose calls have the answers to their tasks, as far as there are not too many. */
async function addTasks(
  db: Queryable,
  answer: TracedAnswer,
  tasks: { left: number },
): Promise<TracedAnswer> {
  const found: readonly TaskRun[] = await readTasks(db, answer, tasks.left);
  tasks.left -= found.length;
  const byCall = new Map<string, TracedAnswer>();
  for (const { actionSid, run } of found) {
    // oxlint-disable-next-line no-await-in-loop -- few at once, whoever reads the trace
    const task = await readAnswer(db, run);
    // oxlint-disable-next-line no-await-in-loop -- the tasks of a trace are counted
    if (task !== undefined) byCall.set(actionSid, await addTasks(db, task, tasks));
  }
  return {
    ...answer,
    calls: answer.calls.map((call) => ({ ...call, task: byCall.get(call.sid) })),
  };
}

/** The rows of a run of which there is a trace; undefined if they are deleted. */
export async function readTraced(db: Queryable, run: RunRow): Promise<Traced | undefined> {
  if (run.kind === "agent_turn") return readAnswer(db, run);
  if (run.kind === "compaction") {
    const [summary] = await readSummaries(db, eq(conversationSummaries.sid, run.logId));
    return summary && { kind: "compaction", ...summary };
  }
  const [row] = await db
    .select({
      invocation: invocationColumns,
      slug: sandboxFunctions.slug,
      isOfTool,
      input: beginningOf(invocations.input, MAX_SPAN_TEXT),
      result: beginningOf(invocations.result, MAX_SPAN_TEXT),
    })
    .from(invocations)
    .leftJoin(sandboxFunctions, eq(sandboxFunctions.id, invocations.functionId))
    .where(eq(invocations.sid, run.logId));
  if (row === undefined) return undefined;
  // The function of a server is internal.
  const name = (!row.isOfTool && row.slug) || "Tool call";
  const texts = { input: cut(row.input), result: cut(row.result) };
  return { kind: "invocation", ...toInvocation(row.invocation, run, name), ...texts };
}

/** The beginning of a JSON value as text, with one character more than is shown. */
const beginningOf = (column: AnyColumn, characters: number): SQL<string | null> =>
  sql<string | null>`left(${column}::text, ${characters + 1}::int)`;

function cut(text: string | null, characters = MAX_SPAN_TEXT): SpanText | null {
  if (text === null) return null;
  // Characters as PostgreSQL counts them.
  const given = Array.from(text);
  return { text: given.slice(0, characters).join(""), isCut: given.length > characters };
}

// What providers are given back of steps may be large, and is not of a trace.
const stepsOf = (column: AnyColumn): SQL<StoredStep[]> =>
  sql<StoredStep[]>`(
    select coalesce(jsonb_agg(step - 'replay' - 'held' order by place), '[]')
    from jsonb_array_elements(${column}) with ordinality as made(step, place))`;

const outcomeOfStatus: Readonly<Record<string, RunRow["outcome"]>> = {
  succeeded: "succeeded",
  failed: "errored",
  cancelled: "cancelled",
};

async function readAnswer(
  db: Queryable,
  run: RunRow,
): Promise<Extract<Traced, { kind: "answer" }> | undefined> {
  const { modelSelection, answerSettings, status, error, finishedAt, conversationId } = messages;
  const { name, providerId, modelId } = agents;
  const [row] = await db
    .select({
      message: { modelSelection, answerSettings, status, error, finishedAt, conversationId },
      agent: { name, providerId, modelId },
      steps: stepsOf(messages.steps),
    })
    .from(messages)
    .innerJoin(agents, eq(agents.id, messages.agentId))
    .where(eq(messages.sid, run.logId));
  if (row === undefined) return undefined;
  const { message, agent, steps } = row;
  const own = message.modelSelection;
  // By the conversation, which has an index.
  const ofAnswer = and(
    eq(conversationSummaries.conversationId, message.conversationId),
    eq(conversationSummaries.answerId, run.logId),
  );
  return {
    kind: "answer",
    run: {
      ...run,
      finishedAt: run.finishedAt ?? message.finishedAt,
      outcome: run.outcome ?? outcomeOfStatus[message.status ?? ""] ?? null,
    },
    name: agent.name,
    model: own ?? { providerId: agent.providerId, modelId: agent.modelId },
    steps,
    error: message.error,
    calls: await readCalls(db, run.subjectId),
    applicationTools: (message.answerSettings?.functionTools ?? []).map((tool) => tool.name),
    summaries: await readSummaries(db, ofAnswer),
  };
}

const { status, error, finishedAt } = invocations;
const isOfTool = sql<boolean>`${sandboxFunctions.toolId} is not null
  or ${sandboxFunctions.clientUserId} is not null`;
const invocationColumns = { status, error, finishedAt };

function toInvocation(
  row: Pick<typeof invocations.$inferSelect, keyof typeof invocationColumns>,
  run: RunRow,
  name: string,
): Omit<TracedInvocation, "input" | "result"> {
  const outcome = row.status === "created" ? null : row.status;
  const isCancelled = row.error?.code === "cancelled";
  return {
    run: {
      ...run,
      finishedAt: run.finishedAt ?? row.finishedAt,
      outcome: run.outcome ?? (isCancelled ? "cancelled" : outcome),
    },
    name,
    error: row.error && { code: row.error.code, message: row.error.message },
  };
}

async function readCalls(db: Queryable, messageId: number): Promise<TracedCall[]> {
  const ofMessage = eq(actions.messageId, messageId);
  // So many long texts would be too much for one answer.
  const isLong = (await db.$count(actions, ofMessage)) <= MAX_LONG_TEXTS;
  const characters = isLong ? MAX_SPAN_TEXT : MAX_SHORT_TEXT;
  const { params: _params, output: _output, ...columns } = getTableColumns(actions);
  const rows = await db
    .select({
      action: columns,
      params: beginningOf(actions.params, characters),
      output: beginningOf(actions.output, characters),
      invocation: invocationColumns,
      run: runs,
    })
    .from(actions)
    .leftJoin(invocations, eq(invocations.actionId, actions.id))
    .leftJoin(runs, eq(runs.logId, invocations.sid))
    .where(ofMessage)
    .orderBy(asc(actions.step), asc(actions.position))
    .limit(MAX_CALLS);
  return rows.map(({ action, params, output, invocation, run }) => ({
    ...action,
    params: cut(params, characters) ?? { text: "null", isCut: false },
    output: cut(output, characters),
    // Its input and result are those of the call.
    invocation: invocation &&
      run && { ...toInvocation(invocation, run, action.toolName), input: null, result: null },
  }));
}

async function readSummaries(db: Queryable, where: SQL | undefined): Promise<TracedSummary[]> {
  const { providerId, modelId, error: failure } = conversationSummaries;
  const rows = await db
    .select({
      run: runs,
      providerId,
      modelId,
      failure,
      steps: stepsOf(conversationSummaries.steps),
    })
    .from(conversationSummaries)
    .innerJoin(runs, eq(runs.logId, conversationSummaries.sid))
    .where(where)
    .orderBy(desc(conversationSummaries.id))
    .limit(MAX_SUMMARIES);
  return rows.map(({ run, steps, failure: why, ...model }) => ({ run, model, steps, error: why }));
}
