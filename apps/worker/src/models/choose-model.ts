import type { ModelProvider } from "@parley/agent";
import {
  type ClaimedRun,
  contextTokensOf,
  type Core,
  filesTakenBy,
  findUsableModels,
  readProviderSecret,
  supportedEffort,
  takenFiles,
  type Turn,
  UnreadableSecret,
} from "@parley/core";
import {
  type AgentError,
  type ModelPair,
  ModelService,
  type ReasoningEffort,
} from "@parley/schema";
import type { Logger } from "pino";
import { describeRun } from "../runs/leases.ts";
import type { ModelChain, ModelKey, ModelLink } from "./model-chain.ts";

/** The model of a turn, with what is needed to call it. */
export interface ChosenModel extends ModelLink {
  /** The workspace's own credential; undefined if the deployment's is used. */
  readonly apiKey: string | undefined;
  /** The agent's models; undefined if no other one may answer, or has answered. */
  readonly chain: Pick<ModelChain, "own" | "links"> | undefined;
}

/** Context of a model that is no longer in the catalogue. */
const DEFAULT_CONTEXT_TOKENS = 8000;

/** What models are found with. */
export interface ModelServices {
  readonly core: Core;
  readonly logger: Logger;
  readonly providers: Readonly<Record<string, ModelProvider>>;
}

/**
 * Finds the model of a turn and its effort: each the message's selection, else the agent's own. Only without a
 * selection, the agent's other models may answer in its place. Gives an error if no model can be called.
 */
export async function chooseModel(
  services: ModelServices,
  { run, turn }: { run: ClaimedRun; turn: Turn },
): Promise<ChosenModel | AgentError> {
  const { modelSelection } = turn.message;
  const { providerId, modelId } = modelSelection ?? turn.agent;
  const own = { providerId, modelId };
  const effort = modelSelection?.reasoningEffort ?? turn.agent.reasoningEffort;
  const toLink = (pair: ModelPair) => findLink(services, pair, effort) ?? [];
  if (modelSelection === null && turn.agent.fallbackModels.length > 0) {
    const { workspaceId } = run;
    const pairs = await findUsableModels(services.core, workspaceId, [
      own,
      ...turn.agent.fallbackModels,
    ]);
    // What can continue after its published text is never replaced.
    const isKept = pairs.includes(own) || services.providers[providerId]?.canContinue === true;
    const links = (isKept ? [own, ...pairs.filter((pair) => pair !== own)] : pairs).flatMap(toLink);
    const [first = findLink(services, own, effort)] = links;
    if (first === undefined) return missingProvider(providerId);
    const chain = { own, links: links.length === 0 ? [first] : links };
    return { ...first, apiKey: undefined, chain };
  }
  const link = findLink(services, own, effort);
  if (link === undefined) return missingProvider(providerId);
  const key = await readModelKey(services, { run, providerId });
  return "code" in key ? key : { ...link, ...key, chain: undefined };
}

function findLink(
  { providers }: ModelServices,
  { providerId, modelId }: ModelPair,
  effort: ReasoningEffort | null | undefined,
): ModelLink | undefined {
  const provider = providers[providerId];
  if (provider === undefined) return undefined;
  const pair = { providerId, modelId };
  const contextTokens = contextTokensOf(pair) ?? provider.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  const takes = filesTakenBy(pair) ?? takenFiles(providerId, provider.takes ?? []);
  const reasoningEffort = supportedEffort(pair, effort);
  return { ...pair, provider, contextTokens, takes, reasoningEffort };
}

function missingProvider(providerId: string): AgentError {
  const message = `This server has no provider ${providerId}`;
  return { code: "provider_unavailable", message, metadata: null };
}

/** Reads the credential for a provider's models. Gives an error if it cannot be decrypted. */
export async function readModelKey(
  { core, logger }: Pick<ModelServices, "core" | "logger">,
  { run, providerId }: { readonly run: ClaimedRun; readonly providerId: string },
): Promise<ModelKey> {
  try {
    return { apiKey: await readOwnKey(core, { workspaceId: run.workspaceId, providerId }) };
  } catch (err) {
    if (!(err instanceof UnreadableSecret)) throw err;
    logger.error({ err, ...describeRun(run) }, "A credential could not be decrypted");
    const message = `The workspace's credential for ${providerId} cannot be decrypted`;
    return { code: "provider_auth_error", message, metadata: null };
  }
}

/** The workspace's own credential for a provider; undefined if the deployment's is used. */
export async function readOwnKey(
  core: Core,
  place: { readonly workspaceId: number; readonly providerId: string },
): Promise<string | undefined> {
  const isService = ModelService.safeParse(place.providerId).success;
  return isService ? readProviderSecret(core, place) : undefined;
}
