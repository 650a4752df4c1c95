import type { PromptNote, StoredStep } from "@parley/db";
import type { AgentError, FinishReason, MessageEvent, ProviderError } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { retryConflicts } from "../data-access/retry-conflicts.ts";
import { toColumns } from "../data-access/row-json.ts";
import type { ActionRow, MessageRow } from "../data-access/rows.ts";
import { type Append, appendingStatement, appendWith } from "../log/append.ts";
import type { Hint } from "../log/bus.ts";
import { sizeOfAnswer } from "../messages/conversation-size.ts";
import { setTokens, tokensOf } from "../messages/consumption-sums.ts";
import { renderAgentMessage } from "../messages/render-messages.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { wakeAskingOf, wakeHandedOverBy, wakeNextOf } from "../runs/wake-runs.ts";
import { type BilledCall, toUsage, usageParts } from "../usage/usage-ledger.ts";
import type { Turn } from "./load-turns.ts";

/** The outcome of an agent turn. */
export interface TurnOutcome {
  readonly content: string;
  readonly chainOfThought: string | null;
  readonly rawContents: { step: number; content: string }[];
  /** Why the turn failed; null when it succeeded. */
  readonly error: AgentError | null;
  /** What the model's provider said of it: kept with the run, away from users. */
  readonly providerError?: ProviderError | undefined;
  /** Why the answer ended; null or left out if that is not known. */
  readonly finishReason?: FinishReason | null;
  /** The answer in its format, whose JSON is the content. */
  readonly answer?: { readonly value: unknown } | undefined;
  /** Number of the last step. */
  readonly step: number;
  /** The usage of each step. */
  readonly steps?: readonly StoredStep[] | undefined;
  /** What the model was not given as it was sent; by default what the message has. */
  readonly promptNotes?: readonly PromptNote[] | undefined;
}

export interface FinishedTurn {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly outcome: TurnOutcome;
  /** Events that were not yet written; they come before the terminal one. */
  readonly events: readonly MessageEvent[];
  /** Number of the event before those, so that none can follow a gap; the log's last by default. */
  readonly lastSeq?: number;
  /** All tool calls of the turn. */
  readonly actions: readonly ActionRow[];
  /** The calls of models that were not written with a step. */
  readonly usage?: readonly BilledCall[] | undefined;
}

const finishStatement = appendingStatement<
  { finished: string; providerErrors: string | null; usage: string },
  { hasNext: boolean }
>(
  "finish_turns",
  sql`
  finished as (
    select f.* from json_populate_recordset(null::messages, ${sql.placeholder("finished")}::json) f
    join numbered on numbered.id = f.sid
  ),
  ${usageParts(sql`select sid from finished`)},
  message as (
    update messages set
      status = finished.status,
      content = finished.content,
      chain_of_thought = finished.chain_of_thought,
      raw_contents = finished.raw_contents,
      error = finished.error,
      finish_reason = finished.finish_reason,
      structured_output = finished.structured_output,
      steps = finished.steps,
      prompt_notes = finished.prompt_notes,
      finished_at = finished.finished_at
    from finished where messages.sid = finished.sid
  ),
  run as (
    update runs set
      status = 'finished',
      lease_until = null,
      finished_at = finished.finished_at,
      outcome = case finished.status when 'succeeded' then 'succeeded' else 'errored' end,
      provider_error = ${sql.placeholder("providerErrors")}::jsonb -> finished.sid,
      ${setTokens}
    from finished, ${tokensOf(sql`finished.steps`)} where runs.log_id = finished.sid
    returning runs.ordering_key, runs.id, runs.parent_log_id
  ),
  next as (${wakeNextOf(sql`run`)} returning runs.log_id),
  asking as (${wakeAskingOf(sql`run`)} returning runs.log_id),
  handed as (${wakeHandedOverBy(sql`finished`)} returning runs.log_id)`,
  sql`, exists (select from next) or exists (select from asking)
    or exists (select from handed) as "hasNext"`,
);

/**
 * Ends turns: terminal event, message, run and the conversation's `agent_message_done` commit
 * together. Skips a turn whose log is closed or held by another attempt. Gives the ids of the messages
 * that the attempts have ended, also those that an unacknowledged call ended before.
 */
export async function finishTurns(
  core: Process & StorageServices,
  finished: readonly FinishedTurn[],
): Promise<Set<string>> {
  const rows = new Map(finished.map((one) => [one.run.logId, toRow(core, one)]));
  const columns = JSON.stringify(rows.values().map(toEndedColumns).toArray());
  const said = finished.flatMap(({ run, outcome: { providerError } }) =>
    providerError === undefined ? [] : [[run.logId, providerError] as const],
  );
  const providerErrors = said.length === 0 ? null : JSON.stringify(Object.fromEntries(said));
  const appends = finished.flatMap((one) => toAppends(core, one, rows.get(one.run.logId)!));
  const usage = toUsage(finished.flatMap((one) => one.usage ?? []));
  const hints: Hint[] = [];
  let hasNext = false;
  const written = await appendWith(appends, hints, async (entries) => {
    const values = { entries, finished: columns, providerErrors, usage };
    const ends = await retryConflicts(core, () =>
      finishStatement.execute(core.database.db, values),
    );
    // Whether an earlier call, whose answer was lost, made one claimable is not known.
    hasNext = ends.some((row) => row.hasNext || row.again);
    return ends;
  });
  const ended = finished.filter(({ run }) => written.has(run.logId)).map(({ run }) => run.logId);
  // The next run of an ordering key has waited for one of these, or the turn that asked for it.
  if (hasNext) hints.push({ topic: "runs", cause: "finished", kind: "agent_turn" });
  core.bus.publish(hints);
  for (const { run, actions } of finished) {
    const row = rows.get(run.logId);
    // It is in the row and in the terminal event.
    if (row && written.has(run.logId)) {
      core.storage.add(row.workspaceId, 2 * sizeOfAnswer(row, actions));
    }
  }
  return new Set(ended);
}

function toRow(core: Process, { turn, outcome }: FinishedTurn): MessageRow {
  const { content, chainOfThought, rawContents, error, finishReason = null } = outcome;
  const steps = outcome.steps ? boundReplays(outcome.steps) : null;
  const { answer } = outcome;
  const structuredOutput = answer === undefined ? null : { value: answer.value };
  const status = error === null ? "succeeded" : "failed";
  const promptNotes = outcome.promptNotes ? [...outcome.promptNotes] : turn.message.promptNotes;
  const finishedAt = core.now();
  const ended = { status, error, finishReason, structuredOutput, steps, promptNotes, finishedAt };
  return { ...turn.message, content, chainOfThought, rawContents, ...ended };
}

/** Bytes of the replays of an answer that later turns are given: signatures, and reasoning that is signed. */
const MAX_REPLAY_BYTES = 64 * 1024;

/** The steps without refused answers, of which only the newest keep their replays if these are long. */
function boundReplays(steps: readonly StoredStep[]): StoredStep[] {
  let left = MAX_REPLAY_BYTES;
  const newestFirst = steps.toReversed().map(({ replay, held: _ofTurn, ...step }) => {
    left -= bytesOfReplay(replay);
    return replay === undefined || left < 0 ? step : { ...step, replay };
  });
  return newestFirst.toReversed();
}

function bytesOfReplay(replay: unknown): number {
  return replay === undefined ? 0 : Buffer.byteLength(JSON.stringify(replay));
}

/** The columns that the end of a turn changes, and the message's id. */
function toEndedColumns(row: MessageRow): Record<string, unknown> {
  const { sid, status, content, chainOfThought, rawContents, error, finishReason } = row;
  const { structuredOutput, steps, promptNotes, finishedAt } = row;
  const texts = { content, chainOfThought, rawContents };
  const ended = { error, finishReason, structuredOutput, steps, promptNotes, finishedAt };
  return toColumns({ sid, status, ...texts, ...ended });
}

function toAppends(core: Process, finished: FinishedTurn, row: MessageRow): Append[] {
  const { run, turn, outcome, events, lastSeq, actions } = finished;
  const created = core.now();
  const about = { created, configurationId: turn.agent.sid, messageId: run.logId };
  const shared = { ...about, step: outcome.step };
  const terminal: MessageEvent =
    outcome.error === null
      ? {
          type: "agent_message_success",
          ...shared,
          message: renderAgentMessage(core, row, { agent: turn.agent, actions }),
          runIds: [],
        }
      : { type: "agent_error", ...shared, error: outcome.error };
  const conversationId = turn.conversation.sid;
  const done = {
    type: "agent_message_done" as const,
    ...about,
    conversationId,
    status: outcome.error === null ? ("success" as const) : ("error" as const),
  };
  const guard = { logId: run.logId, fence: run.attempt, lastSeq };
  const answerBytes = sizeOfAnswer(row, actions);
  return [
    { logId: run.logId, events: [...events, terminal], guard },
    { logId: conversationId, events: [done], guard, answerBytes },
  ];
}
