import type { StoredStep } from "@parley/db";
import type { AgentError, MessageEvent } from "@parley/schema";
import { sql } from "drizzle-orm";
import { toColumns } from "../columns.ts";
import type { Core } from "../context.ts";
import { type Append, appendingStatement, appendWith } from "../events/append.ts";
import type { Hint } from "../events/bus.ts";
import { renderAgentMessage } from "../messages.ts";
import { retryConflicts } from "../retry-conflicts.ts";
import type { ActionRow, MessageRow } from "../rows.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import type { Turn } from "./load-turns.ts";
import { wakeNextOf } from "./wake-runs.ts";

/** What an agent turn came to. */
export interface TurnOutcome {
  readonly content: string;
  readonly chainOfThought: string | null;
  readonly rawContents: { step: number; content: string }[];
  /** Why the turn failed; null when it succeeded. */
  readonly error: AgentError | null;
  /** Number of the last step. */
  readonly step: number;
  /** What each step took. */
  readonly steps?: readonly StoredStep[] | undefined;
}

export interface FinishedTurn {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly outcome: TurnOutcome;
  /** Events that were not yet written; they come before the terminal one. */
  readonly events: readonly MessageEvent[];
  /** All tool calls of the turn. */
  readonly actions: readonly ActionRow[];
}

const finishStatement = appendingStatement<{ finished: string }>(
  "finish_turns",
  sql`
  finished as (
    select f.* from json_populate_recordset(null::messages, ${sql.placeholder("finished")}::json) f
    join numbered on numbered.id = f.sid
  ),
  message as (
    update messages set
      status = finished.status,
      content = finished.content,
      chain_of_thought = finished.chain_of_thought,
      raw_contents = finished.raw_contents,
      error = finished.error,
      steps = finished.steps,
      finished_at = finished.finished_at
    from finished where messages.sid = finished.sid
  ),
  run as (
    update runs set status = 'finished', lease_until = null
    from finished where runs.log_id = finished.sid
    returning runs.lane, runs.id
  ),
  next as (${wakeNextOf(sql`run`)})`,
);

/**
 * Ends turns: terminal event, message, run and the conversation's `agent_message_done` commit
 * together. A turn whose log is closed or held by another attempt is left out alone; the result
 * holds the ids of the messages that ended here.
 */
export async function finishTurns(
  core: Core,
  finished: readonly FinishedTurn[],
): Promise<Set<string>> {
  const rows = new Map(finished.map((one) => [one.run.logId, toRow(core, one)]));
  const columns = JSON.stringify(rows.values().map(toColumns).toArray());
  const appends = finished.flatMap((one) => toAppends(core, one, rows.get(one.run.logId)!));
  const hints: Hint[] = [];
  const written = await appendWith(appends, hints, (entries) =>
    retryConflicts(core, () =>
      finishStatement.execute(core.database.db, { entries, finished: columns }),
    ),
  );
  const ended = finished.filter(({ run }) => written.has(run.logId)).map(({ run }) => run.logId);
  // The next run of a lane may have waited for this one.
  if (ended.length > 0) hints.push({ topic: "runs", cause: "finished", kind: "agent_turn" });
  core.bus.publish(hints);
  return new Set(ended);
}

function toRow(core: Core, { turn, outcome }: FinishedTurn): MessageRow {
  const { content, chainOfThought, rawContents, error } = outcome;
  // What providers are shown again is of no use any more.
  const steps = outcome.steps?.map((step) => ({ ...step, replay: undefined })) ?? null;
  const status = error === null ? "succeeded" : "failed";
  const finishedAt = core.now();
  return {
    ...turn.message,
    status,
    content,
    chainOfThought,
    rawContents,
    error,
    steps,
    finishedAt,
  };
}

function toAppends(core: Core, finished: FinishedTurn, row: MessageRow): Append[] {
  const { run, turn, outcome, events, actions } = finished;
  const created = core.now();
  const shared = {
    created,
    configurationId: turn.agent.sid,
    messageId: run.logId,
    step: outcome.step,
  };
  const terminal: MessageEvent =
    outcome.error === null
      ? {
          type: "agent_message_success",
          ...shared,
          message: renderAgentMessage(row, turn.agent, actions),
          runIds: [],
        }
      : { type: "agent_error", ...shared, error: outcome.error };
  const guard = { logId: run.logId, fence: run.attempt };
  return [
    { logId: run.logId, events: [...events, terminal], guard },
    {
      logId: turn.conversation.sid,
      events: [
        {
          type: "agent_message_done",
          created,
          conversationId: turn.conversation.sid,
          configurationId: turn.agent.sid,
          messageId: run.logId,
          status: outcome.error === null ? "success" : "error",
        },
      ],
      guard,
    },
  ];
}
