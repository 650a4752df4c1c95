/** Calls that ask another agent: each is a task, which has a conversation of its own. */
import { type Queryable, statement } from "@parley/db";
import type { AgentError, ConversationEvent, MessageEvent } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { ActionRow } from "../data-access/rows.ts";
import type { Transaction } from "../log/transaction.ts";
import { callStatus, outputOf } from "./call-states.ts";
import type { AskedBy } from "./calling-turn.ts";
import { mayBeTask, type OpenCall } from "./open-calls.ts";
import type { StepCall } from "./prepared-calls.ts";
import { MAX_OUTPUT_CHARACTERS } from "./tool-results.ts";

/** The first state of a call that uses another agent: only an agent that is asked keeps its call running. */
export type TeamCall =
  | { readonly status: "running" }
  | { readonly status: "succeeded" | "errored"; readonly text: string };

/** The calls of a step that use other agents. */
export type TeamCalls = ReadonlyMap<StepCall, TeamCall>;

/** A call of a step that starts a task, or hands over. */
export interface StartedTask {
  readonly call: StepCall;
  readonly action: ActionRow;
}

/** What a step announces of other agents: in the log of its answer, and in that of its conversation. */
export interface StartedEvents {
  readonly ofMessage: readonly MessageEvent[];
  readonly ofConversation: readonly ConversationEvent[];
}

/** What a step does with other agents. */
export interface StepTasks {
  /** Judges them under a lock on how many there are, in the transaction that starts them. */
  judge(db: Queryable): Promise<TeamCalls>;
  /** Writes the conversations of tasks, and the answer after a handover. */
  start(
    transaction: Transaction,
    tasks: readonly StartedTask[],
    askedBy: AskedBy,
  ): Promise<StartedEvents>;
}

/** How far a task is. */
export interface TaskEnd {
  readonly actionId: number;
  readonly agentName: string;
  /** As the answer's. */
  readonly status: "created" | "succeeded" | "failed" | "cancelled";
  readonly content: string;
  readonly error: AgentError | null;
  readonly finishedAt: number | null;
}

const tasksStatement = statement<{ actionIds: string }, TaskEnd>(
  "read_tasks_of_calls",
  sql`
  select c.parent_action_id::float8 as "actionId", a.name as "agentName", m.status,
    left(m.content, ${sql.raw(String(MAX_OUTPUT_CHARACTERS))}) as content, m.error,
    m.finished_at::float8 as "finishedAt"
  from conversations c
  cross join lateral (
    select * from messages m where m.conversation_id = c.id and m.type = 'agent_message'
    order by m.rank, m.version limit 1
  ) m
  join agents a on a.id = m.agent_id
  where c.parent_action_id in (
    select value::bigint from json_array_elements_text(${sql.placeholder("actionIds")}::json)
  )`,
);

/** The tasks of open calls, by the numbers of these; nothing is read if none can have one. */
export async function readTasks(
  db: Queryable,
  calls: readonly OpenCall[],
): Promise<ReadonlyMap<number, TaskEnd>> {
  const ids = calls.filter(mayBeTask).map(({ action }) => action.id);
  if (ids.length === 0) return new Map();
  const tasks = await tasksStatement.execute(db, { actionIds: JSON.stringify(ids) });
  return new Map(tasks.map((task) => [task.actionId, task]));
}

/** A call whose task has ended: its answer is the result; undefined while it has not. */
export function endedAsTask(action: ActionRow, task: TaskEnd, now: number): ActionRow | undefined {
  const { status, agentName, content, error, finishedAt } = task;
  if (status === "created") return undefined;
  const said = {
    succeeded: content,
    failed: `The agent ${agentName} failed: ${error?.message ?? "for an unknown reason"}`,
    cancelled: `The task of the agent ${agentName} was cancelled`,
  }[status];
  const updatedAt = finishedAt ?? now;
  return {
    ...action,
    status: status === "succeeded" ? callStatus.succeeded : callStatus.errored,
    output: outputOf(said.toWellFormed()),
    executionDurationMs: Math.max(0, Math.round(updatedAt - action.createdAt)),
    updatedAt,
  };
}
