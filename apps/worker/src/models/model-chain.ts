import {
  addUsage,
  type ModelProvider,
  type PassedOver,
  type StepPart,
  type StepRequest,
  type TokenUsage,
} from "@parley/agent";
import type { AgentError, ModelPair, ReasoningEffort, TakenFiles } from "@parley/schema";
import type { Circuits } from "./circuits.ts";
import { isPublished } from "./published-part.ts";

// Until a step has published something, a model that is overloaded, down or silent gives way to the next one of its
// agent. What it has published is never taken back: from then on, the step ends as its model ends it.

/** A model of an agent, with what is needed to call it. */
export interface ModelLink extends ModelPair {
  readonly provider: ModelProvider;
  readonly contextTokens: number;
  /** Files that it takes as they are. */
  readonly takes: readonly TakenFiles[];
  /** Undefined for the model's default. */
  readonly reasoningEffort: ReasoningEffort | undefined;
}

/** The credential for a model: the workspace's own, undefined for the deployment's; or why there is none. */
export type ModelKey = { readonly apiKey: string | undefined } | AgentError;

export interface ModelChain {
  /** The configured model; it need not be one of the links. */
  readonly own: ModelPair;
  /** The models to ask, in order; at least one. */
  readonly links: readonly ModelLink[];
  readonly circuits: Pick<Circuits, "admits">;
  /** Called before each call of a model. */
  readonly readKey: (link: ModelLink) => Promise<ModelKey>;
  /** The prompt of a step and the files of its calls, as this model takes them. */
  readonly preparePrompt: (
    link: ModelLink,
    request: StepRequest,
  ) => Promise<Pick<StepRequest, "prompt" | "finishedCalls" | "openFiles">>;
  /** Called for each model that gives way to the next: with the code of its failure, or `circuit_open`. */
  readonly onPassedOver: (link: ModelLink, reason: string) => void;
}

/**
 * Creates the provider of an agent with several models. Each step asks them in order, those last whose circuit is
 * open. A part `passed_over` says of each that gave way what its calls were billed; a part `model` comes before the
 * parts of a model other than the agent's own.
 */
export function createModelChain(chain: ModelChain): ModelProvider {
  const { own, links } = chain;
  const [first] = links;
  return {
    // Another model cannot continue what the agent's own has published.
    canContinue: first !== undefined && isSame(first, own) && first.provider.canContinue,
    // Each link has its own context: its prompt is fitted when it is asked.
    countsTokens: false,
    async *streamStep(request) {
      let left = links.length;
      for await (const { link, isSkipped } of inOrder(chain)) {
        if (isSkipped) {
          yield passOver(chain, link, { reason: "circuit_open" });
          continue;
        }
        left--;
        const failure = yield* streamLink(chain, link, { ...request, hasFallback: left > 0 });
        if (failure === undefined) return;
        yield passOver(chain, link, failure);
      }
    },
  };
}

/** Counts a model that gives way, and says so. */
function passOver({ onPassedOver }: ModelChain, link: ModelLink, given: GaveWay): StepPart {
  const { providerId, modelId } = link;
  onPassedOver(link, given.reason);
  const passedOver: PassedOver = { model: { providerId, modelId }, ...given };
  return { type: "passed_over", passedOver };
}

/**
 * The links as they are asked: those first whose circuits are closed, or are to be probed. The others are skipped
 * first, and asked at the end.
 */
async function* inOrder({
  links,
  circuits,
  readKey,
}: ModelChain): AsyncGenerator<{ link: ModelLink; isSkipped: boolean }, void, undefined> {
  const open: ModelLink[] = [];
  for (const link of links) {
    // One after the other: a later one is seldom needed.
    // oxlint-disable-next-line no-await-in-loop
    const key = await readKey(link);
    const isSkipped = !("code" in key) && !circuits.admits({ ...key, providerId: link.providerId });
    if (isSkipped) open.push(link);
    yield { link, isSkipped };
  }
  for (const link of open) yield { link, isSkipped: false };
}

type GaveWay = Omit<PassedOver, "model">;

/** Streams a step from one model. Gives why it failed, unpublished, and its usage if another model is to answer. */
async function* streamLink(
  { own, readKey, preparePrompt }: ModelChain,
  link: ModelLink,
  request: StepRequest,
): AsyncGenerator<StepPart, GaveWay | undefined, undefined> {
  const { providerId, modelId, provider } = link;
  // What comes before the answer counts only if the model answers.
  let held: StepPart[] = isSame(link, own)
    ? []
    : [{ type: "model", model: { providerId, modelId } }];
  const key = await readKey(link);
  if ("code" in key) {
    yield* held;
    yield { type: "error", code: key.code, message: key.message };
    return undefined;
  }
  const prepared = await preparePrompt(link, request);
  const asked = { ...toLinkRequest(link, own, request), apiKey: key.apiKey, ...prepared };
  let isAnswering = false;
  for await (const part of provider.streamStep(asked)) {
    if (!isAnswering && part.type === "error" && part.isOutage && request.hasFallback) {
      return { reason: part.code, ...usageOf(held) };
    }
    if (part.type === "retry") {
      yield part;
      continue;
    }
    isAnswering ||= isPublished(part) || part.type === "error";
    if (isAnswering) {
      yield* held;
      held = [];
      yield part;
    } else if (part.type !== "text" && part.type !== "reasoning") held.push(part);
  }
  yield* held;
  return undefined;
}

/** What the calls were billed together; undefined if nothing. */
function usageOf(parts: readonly StepPart[]): TokenUsage | undefined {
  const usages = parts.flatMap((part) => {
    if (part.type !== "usage") return [];
    const { type: _type, ...usage } = part;
    return [usage];
  });
  return usages.length === 0 ? undefined : usages.reduce(addUsage);
}

/** The request for a model: without what other models need back of their steps. */
function toLinkRequest(link: ModelLink, own: ModelPair, request: StepRequest): StepRequest {
  const { modelId, reasoningEffort } = link;
  const finishedSteps = request.finishedSteps.map((step) =>
    isSame(step.model ?? own, link) ? step : { ...step, replay: undefined },
  );
  const isForeign = request.finishedSteps.some(({ model }) => !isSame(model ?? own, link));
  // Anthropic wants its own signed reasoning back in a turn that reasons, and refuses the calls of others.
  const canReason = link.providerId !== "anthropic" || !isForeign;
  return {
    ...request,
    modelId,
    reasoningEffort: canReason ? reasoningEffort : undefined,
    finishedSteps,
  };
}

function isSame(one: ModelPair, other: ModelPair): boolean {
  return one.providerId === other.providerId && one.modelId === other.modelId;
}
