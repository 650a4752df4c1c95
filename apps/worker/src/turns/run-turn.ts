import {
  keptReplay,
  runTurn,
  skillsLoadedBy,
  type StepRecord,
  summarizeSteps,
  summarizeTurn,
  type TurnProgress,
  type TurnRequest,
  type TurnState,
} from "@parley/agent";
import {
  type ActionRow,
  CallLimitReached,
  type ClaimedRun,
  type FinishedTurn,
  endTasks,
  hasOpenCalls,
  isHandedOver,
  lostLease,
  prepareTasks,
  saveRefusedAnswer,
  saveStep,
  settleCalls,
  textOfOutput,
  type Turn,
} from "@parley/core";
import type { AgentError, MessageEvent } from "@parley/schema";
import { considerCompaction } from "../compaction/consider-compaction.ts";
import { chooseModel } from "../models/choose-model.ts";
import { describeRun } from "../runs/leases.ts";
import { announceNotes } from "./announce-notes.ts";
import { fallbackEvents } from "./fallback-events.ts";
import { budgetEvents } from "../metering/budget-events.ts";
import type { RunMeter } from "../metering/create-meter.ts";
import { ofStep, withAmounts } from "../metering/step-usage.ts";
import { meterTurn } from "../metering/turn-meter.ts";
import { createTurnRequest } from "../prompts/turn-request.ts";
import type { TurnServices } from "./turn-services.ts";

type TurnEnd = "succeeded" | "failed" | "suspended";

/**
 * Continues an agent turn to its end, or until it is suspended (`suspended`), and gives which. Throws
 * `LostLease`, or the reason of the signal.
 */
export async function executeTurn(
  services: TurnServices,
  { run, turn }: { run: ClaimedRun; turn: Turn },
  signal: AbortSignal,
): Promise<TurnEnd> {
  const retry = <T>(work: () => Promise<T>) => services.persistence.retry(run, signal, work);
  const attempt = { run, turn, retry, signal };
  const meter = await retry(async () => meterTurn(services, attempt));
  try {
    return await continueTurn(services, { ...attempt, meter });
  } finally {
    await meter.close();
  }
}

interface MeteredTurn {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly meter: RunMeter;
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

async function continueTurn(
  services: TurnServices,
  { run, turn, meter, retry, signal }: MeteredTurn,
): Promise<TurnEnd> {
  const { core, writer } = services;
  const { message, agent } = turn;
  const retryLong = <T>(work: () => Promise<T>) => services.persistence.retryLong(signal, work);
  let actions: readonly ActionRow[] = turn.actions;
  if (hasOpenCalls(turn)) {
    // Its tasks end with it.
    if (run.exhausted) await retry(() => endTasks(core, run.logId));
    const settled = await retry(() => settleCalls(core, { run, turn, giveUp: run.exhausted }));
    // Some calls have not ended: the turn is suspended again.
    if (settled === null) return "suspended";
    ({ actions } = settled);
    writer.continueAfter(run, settled.lastSeq);
  }
  const progress = readProgress({ ...turn, actions });
  let steps = message.steps ?? [];
  const about = { configurationId: agent.sid, messageId: run.logId, now: core.now };
  const notes = announceNotes(about, message.promptNotes);
  const takeUnwritten = async (step: number, record?: StepRecord) => {
    const unwritten = await writer.take(run);
    const fallbacks = record === undefined ? [] : fallbackEvents(about, record);
    const found = [
      ...notes.events(step),
      ...fallbacks,
      ...budgetEvents(about, step, meter.reached),
    ];
    return { ...unwritten, events: [...unwritten.events, ...found] };
  };
  const finish = async (
    state: TurnState &
      Pick<FinishedTurn["outcome"], "finishReason" | "providerError" | "answer"> & {
        readonly record?: StepRecord | undefined;
      },
    error: AgentError | null,
    { last = [], usage }: Pick<FinishedTurn, "usage"> & { last?: readonly MessageEvent[] } = {},
  ): Promise<TurnEnd> => {
    const { record, ...ended } = state;
    const unwritten = await takeUnwritten(state.step, record);
    // Later turns of the conversation are given it.
    const kept = steps.map((step) => ({ ...step, replay: keptReplay(step.replay) }));
    const outcome = { ...ended, error, steps: kept, promptNotes: notes.notes };
    const finished = { run, turn, outcome, ...unwritten, actions, usage };
    finished.events = [...finished.events, ...last];
    if (!(await retry(() => services.finish(finished)))) throw lostLease(run);
    meter.written(meter.ended, meter.reached);
    return error === null ? "succeeded" : "failed";
  };

  if (run.exhausted) {
    const error = { code: "interrupted", message: "The turn was interrupted too often" };
    return finish(summarizeTurn(progress), { ...error, metadata: null });
  }
  if (isHandedOver(turn, actions)) {
    return finish({ ...summarizeSteps(progress), finishReason: "stop" }, null);
  }
  const chosen = await retry(() => chooseModel(services, { run, turn }));
  if (!("provider" in chosen)) return finish(summarizeTurn(progress), chosen);
  let request = await createTurnRequest(services, {
    run,
    turn,
    actions,
    chosen,
    progress,
    notes,
    meter,
    retry,
    retryLong,
    signal,
  });
  /** Adds a step, and gives the calls of models that it took. */
  const addStep = (record: StepRecord | undefined, calls: readonly { name: string }[] = []) => {
    const isRepair = steps.at(-1)?.held?.fault !== undefined;
    if (record !== undefined) {
      const ofAttempt = { ...record, attempt: run.attempt };
      steps = [...steps, withAmounts(ofAttempt, chosen, meter.made)];
    }
    const loaded = skillsLoadedBy(actions.map(toFinishedCall));
    const skills = [...new Set([...(request.loadedSkills ?? []), ...loaded])];
    const tools = calls.map(({ name }) => name);
    return ofStep(meter.ended, record, chosen, {
      origin: isRepair ? "repair" : "answer",
      skills,
      tools,
    });
  };
  const toTokens = (
    step: number,
    text: string,
    classification: "tokens" | "chain_of_thought",
  ): MessageEvent => {
    const of = { created: core.now(), configurationId: agent.sid, messageId: run.logId };
    return { type: "generation_tokens", ...of, step, text, classification };
  };
  /** Whether the calls of the last step have ended with it, so that the turn goes on. */
  let continues = false;
  const eventsOfTurn = async function* () {
    do {
      continues = false;
      yield* runTurn(request);
    } while (continues);
  };
  for await (const event of eventsOfTurn()) {
    if (event.type === "tokens") {
      await writer.write(run, toTokens(event.step, event.text, event.classification));
    } else if (event.type === "step finished") {
      const { step, calls, rawContents, chainOfThought } = event;
      const usage = addStep(event.record, calls);
      const { ended, reached } = meter;
      if (calls.length === 0) {
        const unwritten = await writer.take(run);
        const events = [...unwritten.events, ...fallbackEvents(about, event.record)];
        const answer = { step, rawContents, chainOfThought, steps, usage };
        const refused = { run, ...unwritten, events, ...answer };
        writer.continueAfter(run, await retry(() => saveRefusedAnswer(core, refused)));
        meter.written(ended, []);
        continue;
      }
      const unwritten = await takeUnwritten(step, event.record);
      const promptNotes = notes.notes;
      const output = { step, calls, rawContents, chainOfThought, steps, promptNotes, usage };
      // What was read in this attempt counts, too.
      const current = { ...turn, actions };
      const saving = retry(async () => {
        const tasks = await prepareTasks(core, { run, turn, calls }, services.teamLimits);
        return saveStep(core, { run, turn: current, ...unwritten, ...output, tasks });
      });
      const saved = await saving.catch(endOfCalls);
      if ("code" in saved) {
        notes.announced();
        const { content } = event;
        const last = unwritten.events;
        return finish({ step, content, rawContents, chainOfThought }, saved, { last, usage });
      }
      writer.continueAfter(run, saved.lastSeq);
      services.ownCalls.answered(saved.rows);
      notes.announced();
      meter.written(ended, reached);
      meter.isBudgeted = saved.isBudgeted;
      actions = [...actions, ...saved.rows];
      continues = !saved.isSuspended;
      if (continues)
        request = afterStep(request, { message, steps, rawContents, chainOfThought, actions });
    } else {
      if (event.cause !== undefined) {
        services.logger.error({ err: event.cause, ...describeRun(run) }, "A provider failed");
      }
      const usage = addStep(event.record);
      // Published with its end: a takeover finds all of it, or nothing.
      const { unpublished } = event;
      const last = unpublished ? [toTokens(event.step, unpublished, "tokens")] : [];
      const end = await finish(event, event.error, { last, usage });
      if (end === "succeeded") {
        const { prompt } = request;
        await considerCompaction(services, { run, turn, ...chosen, steps, prompt });
      }
      return end;
    }
  }
  // The last step waits for the functions that it called.
  return "suspended";
}

/** The error of an answer whose calls are more than a limit leaves. Throws any other. */
function endOfCalls(error: unknown): AgentError {
  if (error instanceof CallLimitReached) return error.error;
  throw error;
}

/** State that earlier attempts left: their finished steps, and what they published after those. */
function readProgress({
  message,
  published,
  actions,
}: Pick<Turn, "message" | "published" | "actions">): TurnProgress {
  const stored = new Map(message.steps?.map((one) => [one.step, one]));
  const finishedSteps = (message.rawContents ?? []).map((finished) => {
    const { replay, model, held } = stored.get(finished.step) ?? {};
    return { ...finished, replay, model, held };
  });
  const prefix = { text: "", reasoning: "" };
  for (const payload of published) {
    // The log holds only events of this type.
    const event = JSON.parse(payload) as MessageEvent;
    if (event.type !== "generation_tokens" || event.step < finishedSteps.length) continue;
    if (event.classification === "tokens") prefix.text += event.text;
    if (event.classification === "chain_of_thought") prefix.reasoning += event.text;
  }
  const finishedCalls = actions.map(toFinishedCall);
  return { finishedSteps, finishedReasoning: message.chainOfThought ?? "", finishedCalls, prefix };
}

/** A request after a step that was saved. What earlier steps have called stays as it was given. */
function afterStep(
  request: TurnRequest,
  {
    message,
    actions,
    ...written
  }: Pick<Turn, "message" | "actions"> &
    Pick<Turn["message"], "steps" | "rawContents" | "chainOfThought">,
): TurnRequest {
  const before = request.finishedCalls;
  const progress = readProgress({ message: { ...message, ...written }, actions, published: [] });
  const finishedCalls = [...before, ...progress.finishedCalls.slice(before.length)];
  return { ...request, ...progress, finishedCalls };
}

function toFinishedCall(row: ActionRow): TurnProgress["finishedCalls"][number] {
  const { functionCallId: id, functionCallName: name, params, step, output, status } = row;
  const cited = row.citations === null ? {} : { citations: row.citations };
  const isError = status === "errored";
  return { id, name, params, output: textOfOutput(output), step, isError, ...cited };
}
