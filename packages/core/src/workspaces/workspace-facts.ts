import type { FeatureFlags, VerifiedDomains, WorkspaceExistence } from "@parley/schema";

/** Says that the workspace exists: callers with another's credential do not come here. */
export async function confirmWorkspace(): Promise<WorkspaceExistence> {
  return { exists: true };
}

/** Lists the feature flags of the workspace: the server has none. */
export async function listFeatureFlags(): Promise<FeatureFlags> {
  return { feature_flags: [] };
}

/** Lists the verified domains of the workspace: nobody joins by the domain of an address. */
export async function listVerifiedDomains(): Promise<VerifiedDomains> {
  return { verified_domains: [] };
}
