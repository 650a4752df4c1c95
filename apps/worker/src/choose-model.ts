import type { ModelProvider } from "@parley/agent";
import {
  type ClaimedRun,
  contextTokensOf,
  type Core,
  readProviderSecret,
  type Turn,
  UnreadableSecret,
} from "@parley/core";
import { type AgentError, ModelService } from "@parley/schema";
import type { Logger } from "pino";
import { describeRun } from "./describe-run.ts";

/** The model of a turn, with all that it takes to call it. */
export interface ChosenModel {
  readonly provider: ModelProvider;
  readonly modelId: string;
  readonly contextTokens: number;
  /** The workspace's own credential; none where the deployment's is to be used. */
  readonly apiKey: string | undefined;
}

/** What any model takes: of one that has left the catalogue, nothing is known. */
const LEAST_CONTEXT_TOKENS = 8000;

interface Services {
  readonly core: Core;
  readonly logger: Logger;
  readonly providers: Readonly<Record<string, ModelProvider>>;
}

/** Finds the model of a turn: the message's selection, else the agent's own; or says what is wrong. */
export async function chooseModel(
  { core, logger, providers }: Services,
  { run, turn }: { run: ClaimedRun; turn: Turn },
): Promise<ChosenModel | AgentError> {
  const { providerId, modelId } = turn.message.modelSelection ?? turn.agent;
  const provider = providers[providerId];
  if (provider === undefined) {
    const message = `This server has no provider ${providerId}`;
    return { code: "provider_unavailable", message, metadata: null };
  }
  const contextTokens =
    contextTokensOf({ providerId, modelId }) ?? provider.contextTokens ?? LEAST_CONTEXT_TOKENS;
  const isService = ModelService.safeParse(providerId).success;
  const place = { workspaceId: run.workspaceId, providerId };
  try {
    const apiKey = isService ? await readProviderSecret(core, place) : undefined;
    return { provider, modelId, contextTokens, apiKey };
  } catch (err) {
    if (!(err instanceof UnreadableSecret)) throw err;
    logger.error({ err, ...describeRun(run) }, "A credential could not be opened");
    const message = `The workspace's credential for ${providerId} cannot be opened`;
    return { code: "provider_auth_error", message, metadata: null };
  }
}
