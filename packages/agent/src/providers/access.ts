import type { FileKind } from "@parley/schema";

/** How the deployment reaches a service. */
export interface ServiceAccess {
  /** Credential that workspaces without their own use. */
  readonly apiKey?: string | undefined;
  /** URL in place of the service's own. */
  readonly baseUrl?: string | undefined;
  /** Context of models that are not in the catalogue, in tokens of prompt and answer together. */
  readonly contextTokens?: number | undefined;
  /** Kinds of files that those models take as they are; none by default. */
  readonly takes?: readonly FileKind[] | undefined;
}
