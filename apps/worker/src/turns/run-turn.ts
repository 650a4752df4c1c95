import {
  buildPrompt,
  type CountFitting,
  countModule,
  fitPrompt,
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
  askUserTool,
  type ClaimedRun,
  type FinishedTurn,
  hasOpenCalls,
  type HistoryRow,
  type Job,
  listSkillFiles,
  loadSkillInstructions,
  lostLease,
  readSkillFile,
  saveRefusedAnswer,
  saveStep,
  settleCalls,
  textOfOutput,
  type Turn,
} from "@parley/core";
import type { AgentError, MessageEvent } from "@parley/schema";
import type { Logger } from "pino";
import { chooseModel, readModelKey } from "../models/choose-model.ts";
import type { Circuits } from "../models/circuits.ts";
import { createModelChain, type ModelLink } from "../models/model-chain.ts";
import { describeRun } from "../runs/leases.ts";
import type { RunServices } from "../runs/run-kind.ts";
import { findAnswerFormat } from "./answer-format.ts";

export interface TurnServices extends RunServices<MessageEvent, FinishedTurn> {
  readonly logger: Logger;
  /** Model providers by their id. */
  readonly providers: Readonly<Record<string, ModelProvider>>;
  readonly circuits: Circuits;
}

/** A prompt of a million tokens takes at most two seconds. */
const countJob: Job<Parameters<CountFitting>[0], number> = {
  url: countModule,
  name: "countFitting",
  deadlineMs: 10_000,
};

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
  const { core, writer } = services;
  const { message, agent } = turn;
  const retry = <T>(work: () => Promise<T>) => services.persistence.retry(run, signal, work);
  let actions: readonly ActionRow[] = turn.actions;
  if (hasOpenCalls(turn)) {
    const settled = await retry(() => settleCalls(core, { run, turn, giveUp: run.exhausted }));
    // Some calls have not ended: the turn is suspended again.
    if (settled === null) return "suspended";
    ({ actions } = settled);
    writer.continueAfter(run, settled.lastSeq);
  }
  const progress = readProgress({ ...turn, actions });
  let steps = message.steps ?? [];
  const finish = async (
    state: TurnState & Pick<FinishedTurn["outcome"], "finishReason" | "providerError" | "answer">,
    error: AgentError | null,
    last: readonly MessageEvent[] = [],
  ): Promise<TurnEnd> => {
    const unwritten = await writer.take(run);
    const outcome = { ...state, error, steps };
    const finished = { run, turn, outcome, ...unwritten, actions };
    finished.events = [...finished.events, ...last];
    if (!(await retry(() => services.finish(finished)))) throw lostLease(run);
    return error === null ? "succeeded" : "failed";
  };

  if (run.exhausted) {
    const error = { code: "interrupted", message: "The turn was interrupted too often" };
    return finish(summarizeTurn(progress), { ...error, metadata: null });
  }
  const chosen = await retry(() => chooseModel(services, { run, turn }));
  if (!("provider" in chosen)) return finish(summarizeTurn(progress), chosen);
  const countFitting: CountFitting = async (given) => {
    const options = { workspaceId: run.workspaceId, origin: "run", signal } as const;
    const counted = await core.threads.call(countJob, given, options);
    if ("value" in counted) return counted.value;
    throw new Error(`The prompt's tokens cannot be counted: ${counted.failure}`);
  };
  const promptFor = ({ contextTokens, provider }: ModelLink) =>
    buildPrompt(
      { instructions: agent.instructions, skills: turn.skills },
      turn.history.map(toHistory),
      promptCharacters(contextTokens, provider),
    );
  const events = runTurn({
    ...progress,
    ...chosen,
    provider:
      chosen.chain === undefined
        ? chosen.provider
        : createModelChain({
            ...chosen.chain,
            circuits: services.circuits,
            readKey: ({ providerId }) => retry(() => readModelKey(services, { run, providerId })),
            preparePrompt: async (link, request) => {
              const prompt = promptFor(link);
              if (!link.provider.countsTokens) return prompt;
              return fitPrompt({ ...request, prompt }, link.contextTokens, countFitting);
            },
            onPassedOver: ({ providerId, modelId }, reason) => {
              services.circuits.passedOver({ providerId }, reason);
              const model = { providerId, modelId, reason };
              services.logger.warn({ ...model, ...describeRun(run) }, "Another model is asked");
            },
          }),
    countFitting,
    temperature: agent.temperature,
    prompt: promptFor(chosen),
    tools: skillTools(turn.skills, {
      loadInstructions: ({ id }) => retry(() => loadSkillInstructions(core, turn, id)),
      listFiles: ({ id }) => retry(() => listSkillFiles(core, turn, id)),
      readFile: ({ id: skillId }, name) =>
        retry(() => readSkillFile(core, turn, { skillId, name })),
    }),
    functions: [
      ...turn.functions.map(({ slug: name, description, inputSchema }) => {
        return { name, description, inputSchema: inputSchema ?? { type: "object" } };
      }),
      ...turn.tools.map(({ name, description, inputSchema }) => {
        return { name, description, inputSchema };
      }),
      ...(agent.asksUser ? [askUserTool] : []),
    ],
    script: agent.script,
    answerFormat: findAnswerFormat(core, { run, turn }, signal),
    maxSteps: agent.maxStepsPerRun,
    traceparent: run.traceparent ?? undefined,
    signal,
  });
  const toTokens = (
    step: number,
    text: string,
    classification: "tokens" | "chain_of_thought",
  ): MessageEvent => {
    const of = { created: core.now(), configurationId: agent.sid, messageId: run.logId };
    return { type: "generation_tokens", ...of, step, text, classification };
  };
  for await (const event of events) {
    if (event.type === "tokens") {
      await writer.write(run, toTokens(event.step, event.text, event.classification));
    } else if (event.type === "step finished") {
      const { step, calls, rawContents, chainOfThought } = event;
      steps = [...steps, event.record];
      const unwritten = await writer.take(run);
      if (calls.length === 0) {
        const refused = { run, step, ...unwritten, rawContents, chainOfThought, steps };
        writer.continueAfter(run, await retry(() => saveRefusedAnswer(core, refused)));
        continue;
      }
      const output = { step, calls, rawContents, chainOfThought, steps };
      const saved = await retry(() => saveStep(core, { run, turn, ...unwritten, ...output }));
      writer.continueAfter(run, saved.lastSeq);
      actions = [...actions, ...saved.rows];
    } else {
      if (event.cause !== undefined) {
        services.logger.error({ err: event.cause, ...describeRun(run) }, "A provider failed");
      }
      if (event.record !== undefined) steps = [...steps, event.record];
      // Published with its end: a takeover finds all of it, or nothing.
      const { unpublished } = event;
      const last = unpublished ? [toTokens(event.step, unpublished, "tokens")] : [];
      return finish(event, event.error, last);
    }
  }
  // The last step waits for the functions that it called.
  return "suspended";
}

function toHistory(row: HistoryRow) {
  const { title, contentType } = row.fragment ?? {};
  return { type: row.type, content: row.content, title, contentType };
}

/** State that earlier attempts left: their finished steps, and what they published after those. */
function readProgress({ message, published, actions }: Turn): TurnProgress {
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

function toFinishedCall(row: ActionRow): TurnProgress["finishedCalls"][number] {
  const { functionCallId: id, functionCallName: name, params, step, output } = row;
  return { id, name, params, output: textOfOutput(output), step };
}
