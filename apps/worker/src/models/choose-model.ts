import type { ModelProvider } from "@parley/agent";
import {
  type ClaimedRun,
  contextTokensOf,
  type Core,
  filesTakenBy,
  readProviderSecret,
  supportedEffort,
  takenFiles,
  type Turn,
  UnreadableSecret,
} from "@parley/core";
import {
  type AgentError,
  ModelService,
  type ReasoningEffort,
  type TakenFiles,
} from "@parley/schema";
import type { Logger } from "pino";
import { describeRun } from "../runs/leases.ts";

/** The model of a turn, with what is needed to call it. */
export interface ChosenModel {
  readonly provider: ModelProvider;
  readonly providerId: string;
  readonly modelId: string;
  /** Files that it takes as they are. */
  readonly takes: readonly TakenFiles[];
  readonly contextTokens: number;
  /** Undefined for the model's default. */
  readonly reasoningEffort: ReasoningEffort | undefined;
  /** The workspace's own credential; undefined if the deployment's is used. */
  readonly apiKey: string | undefined;
}

/** Context of a model that is no longer in the catalogue. */
const DEFAULT_CONTEXT_TOKENS = 8000;

interface Services {
  readonly core: Core;
  readonly logger: Logger;
  readonly providers: Readonly<Record<string, ModelProvider>>;
}

/**
 * Finds the model of a turn and its effort: each the message's selection, else the agent's own. Gives an error if
 * neither model can be called.
 */
export async function chooseModel(
  { core, logger, providers }: Services,
  { run, turn }: { run: ClaimedRun; turn: Turn },
): Promise<ChosenModel | AgentError> {
  const { modelSelection } = turn.message;
  const { providerId, modelId } = modelSelection ?? turn.agent;
  const provider = providers[providerId];
  if (provider === undefined) {
    const message = `This server has no provider ${providerId}`;
    return { code: "provider_unavailable", message, metadata: null };
  }
  const contextTokens =
    contextTokensOf({ providerId, modelId }) ?? provider.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  try {
    const apiKey = await readOwnKey(core, { workspaceId: run.workspaceId, providerId });
    const effort = modelSelection?.reasoningEffort ?? turn.agent.reasoningEffort;
    const reasoningEffort = supportedEffort({ providerId, modelId }, effort);
    const takes =
      filesTakenBy({ providerId, modelId }) ?? takenFiles(providerId, provider.takes ?? []);
    const about = { providerId, modelId, contextTokens, takes };
    return { provider, ...about, reasoningEffort, apiKey };
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
