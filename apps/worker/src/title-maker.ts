import type { ModelProvider } from "@parley/agent";
import {
  type ClaimedRun,
  type Core,
  giveMadeTitle,
  mayUseModel,
  readProviderSecret,
  type Turn,
  untitledMessage,
} from "@parley/core";
import { ModelService } from "@parley/schema";
import type { Logger } from "pino";
import { describeRun } from "./describe-run.ts";

/** Titles that are made at once; conversations beyond that keep their first words. */
const MAX_AT_ONCE = 50;
const TIMEOUT_MS = 30_000;
const MAX_MESSAGE_CHARACTERS = 4000;
/** Of what the model says; a title is cut anyway. */
const MAX_TITLE_CHARACTERS = 1000;

const INSTRUCTIONS =
  "Give the conversation that begins with this message a title of two to six words, in the " +
  "message's language. Answer with the title alone: no quotation marks, no full stop.";

export interface TitleMakerOptions {
  readonly core: Core;
  readonly logger: Logger;
  readonly providers: Readonly<Record<string, ModelProvider>>;
  /** The model that makes titles; none are made without one. */
  readonly model: { readonly providerId: string; readonly modelId: string } | undefined;
}

/** Makes titles beside the turns, which never wait for one. */
export interface TitleMaker {
  /** Begins a title if the turn is the first of a conversation that has none of its own. */
  consider(run: ClaimedRun, turn: Turn): void;
  /** Gives up what is under way. */
  close(): Promise<void>;
}

/** Makes the maker of a worker. A title that cannot be made is not tried again. */
export function createTitleMaker({
  core,
  logger,
  providers,
  model,
}: TitleMakerOptions): TitleMaker {
  const abort = new AbortController();
  const underWay = new Set<Promise<void>>();
  const provider = model && providers[model.providerId];

  async function make(run: ClaimedRun, turn: Turn, message: string): Promise<void> {
    if (model === undefined || provider === undefined) return;
    const { workspaceId } = run;
    if (!(await mayUseModel(core, workspaceId, model))) return;
    const { providerId, modelId } = model;
    const isService = ModelService.safeParse(providerId).success;
    const apiKey = isService
      ? await readProviderSecret(core, { workspaceId, providerId })
      : undefined;
    let title = "";
    const parts = provider.streamStep({
      modelId,
      apiKey,
      temperature: 0.3,
      prompt: [
        { role: "system", content: INSTRUCTIONS, isPinned: true },
        { role: "user", content: message.slice(0, MAX_MESSAGE_CHARACTERS) },
      ],
      tools: [],
      finishedSteps: [],
      finishedCalls: [],
      step: 0,
      script: null,
      prefix: { text: "", reasoning: "" },
      traceparent: run.traceparent ?? undefined,
      signal: AbortSignal.any([abort.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    for await (const part of parts) {
      if (part.type === "error") throw new Error(part.code, { cause: part.cause });
      if (part.type === "text") title += part.text;
      if (title.length > MAX_TITLE_CHARACTERS) break;
    }
    const bare = title.replaceAll(/^[\s"'“„«]+|[\s"'”“».]+$/g, "");
    if (bare !== "") await giveMadeTitle(core, turn.conversation, bare);
  }

  return {
    consider: (run, turn) => {
      if (provider === undefined || abort.signal.aborted || underWay.size >= MAX_AT_ONCE) return;
      const message = run.attempt === 1 ? untitledMessage(turn) : undefined;
      if (message === undefined) return;
      const work = make(run, turn, message).catch((err: unknown) => {
        if (abort.signal.aborted) return;
        logger.warn({ err, ...describeRun(run) }, "A title could not be made");
      });
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    },
    close: async () => {
      abort.abort();
      await Promise.all(underWay);
    },
  };
}
