import * as z from "zod";

/** That the workspace exists, for callers whose credential is valid. */
export const WorkspaceExistence = z.object({
  exists: z.literal(true).describe("Always true: other callers are refused"),
});
export type WorkspaceExistence = z.infer<typeof WorkspaceExistence>;

export const FeatureFlags = z.object({
  feature_flags: z.array(z.string()).describe("Always empty: the server has no feature flags"),
});
export type FeatureFlags = z.infer<typeof FeatureFlags>;

export const VerifiedDomains = z.object({
  verified_domains: z
    .array(
      z.object({
        domain: z.string().describe("Domain of e-mail addresses"),
        domainAutoJoinEnabled: z.boolean().describe("Whether its users join by themselves"),
      }),
    )
    .describe("Always empty: nobody joins a workspace by the domain of an address"),
});
export type VerifiedDomains = z.infer<typeof VerifiedDomains>;
