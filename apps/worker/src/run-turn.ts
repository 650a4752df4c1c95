import {
  buildPrompt,
  type ModelProvider,
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
  loadSkillInstructions,
  lostLease,
  type MessageRow,
  saveStep,
  type Turn,
} from "@parley/core";
import type { AgentError, MessageEvent } from "@parley/schema";
import type { Logger } from "pino";
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

/** Runs an agent turn from where it stands to its end. Throws `LostLease`, or what aborted it. */
export async function executeTurn(
  services: TurnServices,
  { run, turn }: { run: ClaimedRun; turn: Turn },
  signal: AbortSignal,
): Promise<void> {
  const { core, writer } = services;
  const { message, agent } = turn;
  const progress = readProgress(turn);
  let actions: readonly ActionRow[] = turn.actions;
  const finish = async (state: TurnState, error: AgentError | null): Promise<void> => {
    const events = await writer.take(run);
    const outcome = { ...state, error };
    if (!(await services.finish({ run, turn, outcome, events, actions }))) {
      throw lostLease(run);
    }
  };

  if (run.exhausted) {
    const error = { code: "interrupted", message: "The turn was interrupted too often" };
    return finish(summarizeTurn(progress), { ...error, metadata: null });
  }
  const model = message.modelSelection ?? agent;
  const provider = services.providers[model.providerId];
  if (provider === undefined) {
    const error = { code: "provider_unavailable", message: `No provider ${model.providerId}` };
    return finish(summarizeTurn(progress), { ...error, metadata: null });
  }
  const events = runTurn({
    ...progress,
    provider,
    modelId: model.modelId,
    temperature: agent.temperature,
    prompt: buildPrompt(agent.instructions, turn.history.map(toHistory), turn.skills),
    tools: skillTools(turn.skills, ({ id }) => loadSkillInstructions(core, turn, id)),
    script: agent.script,
    maxSteps: agent.maxStepsPerRun,
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
      const pending = await writer.take(run);
      const finished = { run, turn, step, calls, events: pending, rawContents, chainOfThought };
      actions = [...actions, ...(await saveStep(core, finished))];
    } else {
      if (event.cause !== undefined) {
        services.logger.error({ err: event.cause, messageId: run.logId }, "A provider failed");
      }
      await finish(event, event.error);
    }
  }
}

function toHistory(row: MessageRow) {
  const { title, contentType } = row.fragment ?? {};
  return { type: row.type, content: row.content, title, contentType };
}

/** Where earlier attempts left the turn: what they finished, and what they published after that. */
function readProgress({ message, published, actions }: Turn): TurnProgress {
  const finishedSteps = message.rawContents ?? [];
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
  const { functionCallId: id, functionCallName: name, params } = row;
  return { id, name, params, output: answer?.text ?? "" };
}
