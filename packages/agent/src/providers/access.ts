import type { ModelService } from "@parley/schema";

/** How the deployment reaches a service. */
export interface ServiceAccess {
  /** Credential that workspaces without their own use. */
  readonly apiKey?: string | undefined;
  /** Address in place of the service's own. */
  readonly baseUrl?: string | undefined;
  /** Tokens of prompt and answer together that its models take, where the catalogue does not say. */
  readonly contextTokens?: number | undefined;
}

/** Whether the service takes calls without a credential: a server of one's own may. */
export function needsNoKey(serviceId: ModelService): boolean {
  return serviceId === "openai_compatible";
}
