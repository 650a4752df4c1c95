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
import type { Traced, TracedCall, TracedInvocation, TracedSummary } from "./traced-rows.ts";

/** Calls and summaries that a trace looks at. */
const MAX_CALLS = 1000;
const MAX_SUMMARIES = 20;

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
      input: beginningOf(invocations.input, MAX_SPAN_TEXT),
      result: beginningOf(invocations.result, MAX_SPAN_TEXT),
    })
    .from(invocations)
    .leftJoin(sandboxFunctions, eq(sandboxFunctions.id, invocations.functionId))
    .where(eq(invocations.sid, run.logId));
  if (row === undefined) return undefined;
  const { invocation, slug } = row;
  const texts = { input: cut(row.input), result: cut(row.result) };
  return { kind: "invocation", ...toInvocation(invocation, run, slug), ...texts };
}

/** The beginning of a JSON value as text, with one character more than is shown. */
const beginningOf = (column: AnyColumn, characters: number): SQL<string | null> =>
  sql<string | null>`left(${column}::text, ${characters + 1}::int)`;

function cut(text: string | null, characters = MAX_SPAN_TEXT): SpanText | null {
  return text === null
    ? null
    : { text: [...text].slice(0, characters).join(""), isCut: [...text].length > characters };
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

async function readAnswer(db: Queryable, run: RunRow): Promise<Traced | undefined> {
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
const invocationColumns = { status, error, finishedAt };

function toInvocation(
  row: Pick<typeof invocations.$inferSelect, keyof typeof invocationColumns>,
  run: RunRow,
  slug: string | null,
): Omit<TracedInvocation, "input" | "result"> {
  const outcome = row.status === "created" ? null : row.status;
  const isCancelled = row.error?.code === "cancelled";
  return {
    run: {
      ...run,
      finishedAt: run.finishedAt ?? row.finishedAt,
      outcome: run.outcome ?? (isCancelled ? "cancelled" : outcome),
    },
    name: slug ?? "Function",
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
      slug: sandboxFunctions.slug,
    })
    .from(actions)
    .leftJoin(invocations, eq(invocations.actionId, actions.id))
    .leftJoin(runs, eq(runs.logId, invocations.sid))
    .leftJoin(sandboxFunctions, eq(sandboxFunctions.id, invocations.functionId))
    .where(ofMessage)
    .orderBy(asc(actions.step), asc(actions.position))
    .limit(MAX_CALLS);
  return rows.map(({ action, params, output, invocation, run, slug }) => ({
    ...action,
    params: cut(params, characters) ?? { text: "null", isCut: false },
    output: cut(output, characters),
    // Its input and result are those of the call.
    invocation: invocation &&
      run && { ...toInvocation(invocation, run, slug), input: null, result: null },
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
