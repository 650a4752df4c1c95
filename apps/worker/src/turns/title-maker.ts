import {
  type ClaimedRun,
  giveMadeTitle,
  mayUseModel,
  type Turn,
  untitledMessage,
} from "@parley/core";
import { type ModelProvider, type StepRequest, textParts } from "@parley/agent";
import { readOwnKey } from "../models/choose-model.ts";
import { meterTurn } from "../metering/turn-meter.ts";
import { describeRun } from "../runs/leases.ts";
import type { TurnServices } from "./turn-services.ts";

/** Titles in progress at once; further conversations keep their first words as title. */
const MAX_AT_ONCE = 50;
const TIMEOUT_MS = 30_000;
const MAX_MESSAGE_CHARACTERS = 4000;
/** Of the model's answer; a title is truncated anyway. */
const MAX_TITLE_CHARACTERS = 1000;

const INSTRUCTIONS =
  "Give the conversation that begins with this message a title of two to six words, in the " +
  "message's language. Answer with the title alone: no quotation marks, no full stop.";

export interface TitleMakerOptions extends Pick<
  TurnServices,
  "core" | "logger" | "providers" | "usage"
> {
  /** The model that writes titles; none are written without one. */
  readonly model: { readonly providerId: string; readonly modelId: string } | undefined;
}

/** Writes titles concurrently with the turns, which never wait for one. */
export interface TitleMaker {
  /** Starts a title if the turn is the first of a conversation without a title. */
  consider(run: ClaimedRun, turn: Turn): void;
  /** Aborts the titles in progress. */
  close(): Promise<void>;
}

/** Creates the title writer of a worker. A title that fails is not retried. */
export function createTitleMaker({
  core,
  logger,
  providers,
  usage,
  model,
}: TitleMakerOptions): TitleMaker {
  const abort = new AbortController();
  const pending = new Set<Promise<void>>();
  const provider = model && providers[model.providerId];

  async function writeTitle(run: ClaimedRun, turn: Turn, message: string): Promise<void> {
    if (model === undefined || provider === undefined) return;
    const { workspaceId } = run;
    if (!(await mayUseModel(core, workspaceId, model))) return;
    const { providerId, modelId } = model;
    const apiKey = await readOwnKey(core, { workspaceId, providerId });
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const retry = async <T>(work: () => Promise<T>) => work();
    const meter = await meterTurn({ core, logger, usage }, { run, turn, retry, signal }, "title");
    try {
      const title = await askForTitle({ provider, modelId, apiKey, meter, signal }, run, message);
      const { ended } = meter;
      if (title === "") return;
      await giveMadeTitle(core, turn.conversation, title, ended);
      meter.written(ended, []);
    } finally {
      await meter.close();
    }
  }
  return {
    consider: (run, turn) => {
      if (provider === undefined || abort.signal.aborted || pending.size >= MAX_AT_ONCE) return;
      const message = run.attempt === 1 ? untitledMessage(turn) : undefined;
      if (message === undefined) return;
      const work = writeTitle(run, turn, message).catch((err: unknown) => {
        if (abort.signal.aborted) return;
        logger.warn({ err, ...describeRun(run) }, "A title could not be written");
      });
      pending.add(work);
      void work.finally(() => pending.delete(work));
    },
    close: async () => {
      abort.abort();
      await Promise.all(pending);
    },
  };
}

interface TitleCall extends Pick<StepRequest, "modelId" | "apiKey" | "meter" | "signal"> {
  readonly provider: ModelProvider;
}

/** The title that a model gives a message, without what stands around it. Throws if the model fails. */
async function askForTitle(
  { provider, ...call }: TitleCall,
  { traceparent }: ClaimedRun,
  message: string,
): Promise<string> {
  let title = "";
  const parts = provider.streamStep({
    ...call,
    temperature: 0.3,
    prompt: [
      { role: "system", parts: textParts(INSTRUCTIONS), isPinned: true },
      { role: "user", parts: textParts(message.slice(0, MAX_MESSAGE_CHARACTERS)) },
    ],
    tools: [],
    finishedSteps: [],
    finishedCalls: [],
    step: 0,
    script: null,
    prefix: { text: "", reasoning: "" },
    traceparent: traceparent ?? undefined,
  });
  for await (const part of parts) {
    if (part.type === "error") throw new Error(part.code, { cause: part.cause });
    // What is too long is read to its end: it is billed, and its usage comes last.
    if (part.type === "text" && title.length <= MAX_TITLE_CHARACTERS) title += part.text;
  }
  return title.slice(0, MAX_TITLE_CHARACTERS).replaceAll(/^[\s"'“„«]+|[\s"'”“».]+$/g, "");
}
