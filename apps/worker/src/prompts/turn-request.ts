import {
  buildPrompt,
  type CallMeter,
  type CountFitting,
  countModule,
  fitPrompt,
  type HistoryMessage,
  knowledgeTools,
  promptCharacters,
  type ReadResult,
  resultsTool,
  skillTools,
  type TurnProgress,
  type TurnRequest,
  withSummary,
} from "@parley/agent";
import {
  type ActionRow,
  type ClaimedRun,
  describeMounts,
  type Job,
  listSkillFiles,
  loadSkillInstructions,
  type PromptNote,
  readCallResult,
  readSkillFile,
  type TeamLimits,
  type Turn,
  traceparentOf,
} from "@parley/core";
import { type ChosenModel, type ModelServices, readModelKey } from "../models/choose-model.ts";
import type { Circuits } from "../models/circuits.ts";
import { createModelChain, type ModelLink } from "../models/model-chain.ts";
import type { RequestRecorder } from "../requests/request-recorder.ts";
import { describeRun } from "../runs/leases.ts";
import { findAnswerFormat } from "./answer-format.ts";
import { type FileServices, prepareFiles, type TurnFiles } from "./attachments.ts";
import { answerAt, loadedSkills, toHistory } from "./history.ts";
import { nameAuthors } from "./name-authors.ts";
import { knowledgeSourceOf, looksThingsUp } from "./knowledge-source.ts";
import { callsNothing, functionsOf, notesOfTools, skillsWithTools } from "./offered-tools.ts";
import { instructionsOf, valuesByMessage } from "./prompt-values.ts";

/** A prompt of a million tokens takes at most two seconds. */
const countJob: Job<Parameters<CountFitting>[0], number> = {
  url: countModule,
  name: "countFitting",
  deadlineMs: 10_000,
};

/** What prompts are made with. */
export interface PromptServices extends ModelServices, FileServices {
  readonly circuits: Circuits;
  /** How far agents may ask each other. */
  readonly teamLimits: TeamLimits;
  /** Records what models are sent. */
  readonly requests: Pick<RequestRecorder, "record">;
}

/** An attempt at a turn, whose model is chosen. */
interface Attempt {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  /** The calls of the turn so far. */
  readonly actions: readonly ActionRow[];
  readonly chosen: ChosenModel;
  readonly progress: TurnProgress;
  /** Is told what a model is not given. */
  readonly notes: { readonly add: (found: readonly PromptNote[]) => void };
  /** Decides whether calls of models may be sent. */
  readonly meter: CallMeter;
  /** Repeats work on the database through an outage. */
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
  /** The same for work that waits for places too. */
  readonly retryLong: <T>(work: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

/** A message of the history whose calls have the files of their outputs. */
function giveFiles(message: HistoryMessage, answerId: string, files: TurnFiles): HistoryMessage {
  const { called } = message;
  if (called === undefined) return message;
  const finishedCalls = files.withFiles(called.finishedCalls, answerId);
  return { ...message, called: { ...called, finishedCalls } };
}

/** What the models of a turn are asked: the prompt, the tools, and the progress of earlier attempts. */
export async function createTurnRequest(
  services: PromptServices,
  attempt: Attempt,
): Promise<TurnRequest> {
  const { core } = services;
  const { run, turn, chosen, progress, retry, signal } = attempt;
  const { agent, message } = turn;
  const settings = message.answerSettings ?? {};
  const { toolChoice } = settings;
  const functions = functionsOf(turn, services.teamLimits);
  const skills = callsNothing(turn) ? [] : skillsWithTools(turn);
  attempt.notes.add(notesOfTools(turn));
  const values = valuesByMessage(turn);
  // Services refuse calls in a request that offers no tools.
  const givesKnowledge = looksThingsUp(turn) && !callsNothing(turn);
  const givesCalls = givesKnowledge || skills.length + functions.length > 0;
  const readResult: ReadResult = async ({ rank, ...place }) => {
    const answerId = answerAt(turn, rank);
    return answerId && retry(() => readCallResult(core, turn, { answerId, ...place }));
  };
  const countFitting: CountFitting = async (given) => {
    const options = { workspaceId: run.workspaceId, origin: "run", signal } as const;
    const counted = await core.threads.call(countJob, given, options);
    if ("value" in counted) return counted.value;
    throw new Error(`The prompt's tokens cannot be counted: ${counted.failure}`);
  };
  const authors = nameAuthors(turn.history, agent.sid);
  const prepared = new Map<ModelLink, TurnFiles>();
  const promptFor = async (model: ModelLink) => {
    const maxCharacters = promptCharacters(model.contextTokens, model.provider);
    const about = { ...attempt, workspaceId: run.workspaceId, model, maxCharacters, givesCalls };
    const files = prepared.get(model) ?? (await prepareFiles(services, about));
    prepared.set(model, files);
    attempt.notes.add(files.notes);
    const history = turn.history.map((row) => ({
      ...giveFiles(toHistory(row, { model, givesCalls }), row.sid, files),
      values: values.get(row.sid),
      given: files.given.get(row.sid),
      from: authors.get(row.sid),
    }));
    const ofQuestion = message.answerSettings?.instructions ?? null;
    const memory = callsNothing(turn) ? null : describeMounts(turn.mounts);
    const beginning = { instructions: instructionsOf(agent), memory, skills, ofQuestion };
    const prompt = buildPrompt(beginning, history, maxCharacters);
    return { ...files, prompt: withSummary(prompt, turn.summary) };
  };
  const chain =
    chosen.chain &&
    createModelChain({
      ...chosen.chain,
      circuits: services.circuits,
      readKey: ({ providerId }) => retry(() => readModelKey(services, { run, providerId })),
      preparePrompt: async (link, request) => {
        const { prompt, openFiles, withFiles } = await promptFor(link);
        const given = { prompt, openFiles, finishedCalls: withFiles(request.finishedCalls) };
        if (!link.provider.countsTokens) return given;
        const fitting = { ...request, ...given };
        const fitted = await fitPrompt(fitting, link.contextTokens, countFitting);
        return { ...given, prompt: fitted };
      },
      onPassedOver: ({ providerId, modelId }, reason) => {
        services.circuits.passedOver({ providerId }, reason);
        const model = { providerId, modelId, reason };
        services.logger.warn({ ...model, ...describeRun(run) }, "Another model is asked");
      },
    });
  // Each model of a chain has a prompt of its own.
  const own = chain === undefined ? await promptFor(chosen) : undefined;
  return {
    ...progress,
    finishedCalls: own?.withFiles(progress.finishedCalls) ?? progress.finishedCalls,
    ...chosen,
    provider: chain ?? chosen.provider,
    countFitting,
    now: core.now,
    temperature: settings.temperature ?? agent.temperature,
    maxOutputTokens: settings.maxOutputTokens,
    parallelToolCalls: settings.parallelToolCalls,
    toolChoice: toolChoice === "auto" || toolChoice === "none" ? undefined : toolChoice,
    cacheScope: `${agent.sid} ${turn.conversation.sid}`,
    prompt: own?.prompt ?? [],
    openFiles: own?.openFiles,
    tools: [
      ...skillTools(
        skills,
        {
          loadInstructions: ({ id }) => retry(() => loadSkillInstructions(core, turn, id)),
          listFiles: ({ id }) => retry(() => listSkillFiles(core, turn, id)),
          readFile: ({ id: skillId }, name) =>
            retry(() => readSkillFile(core, turn, { skillId, name })),
        },
        functions,
      ),
      ...(givesKnowledge ? knowledgeTools(knowledgeSourceOf(core, turn, attempt)) : []),
      ...(givesCalls ? [resultsTool(readResult)] : []),
    ],
    functions,
    loadedSkills: turn.history.flatMap(loadedSkills),
    rank: message.rank,
    script: agent.script,
    answerFormat: findAnswerFormat(core, { run, turn }, signal),
    maxSteps: agent.maxStepsPerRun,
    traceparentOf: (step) => traceparentOf(run, "step", { key: step }),
    meter: attempt.meter,
    onSent: (sent, sentRequest) => {
      services.requests.record({ run, turn, request: sentRequest, sent });
    },
    signal,
  };
}
