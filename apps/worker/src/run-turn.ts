import {
  buildPrompt,
  type ModelProvider,
  promptCharacters,
  runTurn,
  skillTools,
  summarizeTurn,
  type TurnProgress,
  type TurnState,
} from "@parley/agent";
import {
  type ActionRow,
  type ClaimedRun,
  type Core,
  type FinishedTurn,
  hasOpenCalls,
  loadSkillInstructions,
  lostLease,
  type MessageRow,
  saveStep,
  settleCalls,
  type Turn,
} from "@parley/core";
import type { AgentError, MessageEvent } from "@parley/schema";
import type { Logger } from "pino";
import { chooseModel } from "./choose-model.ts";
import { describeRun } from "./describe-run.ts";
import type { LogWriter } from "./log-writer.ts";

export interface TurnServices {
  readonly core: Core;
  readonly logger: Logger;
  readonly writer: LogWriter<MessageEvent>;
  /** Ends a turn; false when its log is closed or held by another attempt. */
  readonly finish: (finished: FinishedTurn) => Promise<boolean>;
  /** Model providers by their id. */
  readonly providers: Readonly<Record<string, ModelProvider>>;
}

type TurnEnd = "succeeded" | "failed" | "parked";

/**
 * Runs an agent turn from where it stands to its end, or until it is parked, and says which. Throws
 * `LostLease`, or what aborted it.
 */
export async function executeTurn(
  services: TurnServices,
  { run, turn }: { run: ClaimedRun; turn: Turn },
  signal: AbortSignal,
): Promise<TurnEnd> {
  const { core, writer } = services;
  const { message, agent } = turn;
  let actions: readonly ActionRow[] = turn.actions;
  if (hasOpenCalls(turn)) {
    const settled = await settleCalls(core, { run, turn, giveUp: run.exhausted });
    // Some are still waited for: the turn is parked again.
    if (settled === null) return "parked";
    actions = settled;
  }
  const progress = readProgress({ ...turn, actions });
  let steps = message.steps ?? [];
  const finish = async (state: TurnState, error: AgentError | null): Promise<TurnEnd> => {
    const events = await writer.take(run);
    const outcome = { ...state, error, steps };
    if (!(await services.finish({ run, turn, outcome, events, actions }))) {
      throw lostLease(run);
    }
    return error === null ? "succeeded" : "failed";
  };

  if (run.exhausted) {
    const error = { code: "interrupted", message: "The turn was interrupted too often" };
    return finish(summarizeTurn(progress), { ...error, metadata: null });
  }
  const chosen = await chooseModel(services, { run, turn });
  if (!("provider" in chosen)) return finish(summarizeTurn(progress), chosen);
  const events = runTurn({
    ...progress,
    ...chosen,
    reasoningEffort: message.modelSelection?.reasoningEffort,
    temperature: agent.temperature,
    prompt: buildPrompt(
      { instructions: agent.instructions, skills: turn.skills },
      turn.history.map(toHistory),
      promptCharacters(chosen.contextTokens, chosen.provider),
    ),
    tools: skillTools(turn.skills, ({ id }) => loadSkillInstructions(core, turn, id)),
    functions: turn.functions.map(({ slug, description, inputSchema }) => ({
      name: slug,
      description,
      inputSchema: inputSchema ?? { type: "object" },
    })),
    script: agent.script,
    maxSteps: agent.maxStepsPerRun,
    traceparent: run.traceparent ?? undefined,
    signal,
  });
  for await (const event of events) {
    if (event.type === "tokens") {
      await writer.write(run, {
        type: "generation_tokens",
        created: core.now(),
        configurationId: agent.sid,
        messageId: run.logId,
        step: event.step,
        text: event.text,
        classification: event.classification,
      });
    } else if (event.type === "step finished") {
      const { step, calls, rawContents, chainOfThought } = event;
      steps = [...steps, event.record];
      const pending = await writer.take(run);
      const said = { step, calls, rawContents, chainOfThought, steps };
      const saved = await saveStep(core, { run, turn, events: pending, ...said });
      actions = [...actions, ...saved];
    } else {
      if (event.cause !== undefined) {
        services.logger.error({ err: event.cause, ...describeRun(run) }, "A provider failed");
      }
      if (event.record !== undefined) steps = [...steps, event.record];
      return finish(event, event.error);
    }
  }
  // Its last step waits for functions.
  return "parked";
}

function toHistory(row: MessageRow) {
  const { title, contentType } = row.fragment ?? {};
  return { type: row.type, content: row.content, title, contentType };
}

/** Where earlier attempts left the turn: what they finished, and what they published after that. */
function readProgress({ message, published, actions }: Turn): TurnProgress {
  const replays = new Map(message.steps?.map(({ step, replay }) => [step, replay]));
  const finishedSteps = (message.rawContents ?? []).map((said) => {
    return { ...said, replay: replays.get(said.step) };
  });
  const prefix = { text: "", reasoning: "" };
  for (const payload of published) {
    // Written by this program: the log holds what `MessageEvent` describes.
    const event = JSON.parse(payload) as MessageEvent;
    if (event.type !== "generation_tokens" || event.step < finishedSteps.length) continue;
    if (event.classification === "tokens") prefix.text += event.text;
    if (event.classification === "chain_of_thought") prefix.reasoning += event.text;
  }
  const finishedCalls = actions.map(toFinishedCall);
  return { finishedSteps, finishedReasoning: message.chainOfThought ?? "", finishedCalls, prefix };
}

function toFinishedCall(row: ActionRow): TurnProgress["finishedCalls"][number] {
  // As `saveStep` wrote it.
  const [answer] = row.output as { text: string }[];
  const { functionCallId: id, functionCallName: name, params, step } = row;
  return { id, name, params, output: answer?.text ?? "", step };
}
