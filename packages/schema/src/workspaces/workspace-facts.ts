import * as z from "zod";
import { get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";

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
        domainAutoJoinEnabled: z.boolean().describe("Whether its users can join by themselves"),
      }),
    )
    .describe("Always empty: nobody joins a workspace by the domain of an address"),
});
export type VerifiedDomains = z.infer<typeof VerifiedDomains>;

const root = "/api/v1/w/{wId}";
const fact = {
  ...get,
  params: WorkspaceParams,
  scope: "conversations:read",
  tags: ["workspace"],
} as const;

/** Operations that say what a workspace is, to whoever has a key of it. */
export const workspaceFactEndpoints = {
  "workspaces.exists": {
    ...fact,
    summary: "Confirm that the credential belongs to the workspace",
    path: `${root}/exists`,
    output: WorkspaceExistence,
  },
  "featureFlags.list": {
    ...fact,
    summary: "List the feature flags, of which there are none",
    path: `${root}/feature_flags`,
    output: FeatureFlags,
  },
  "verifiedDomains.list": {
    ...fact,
    summary: "List the verified domains, of which there are none",
    path: `${root}/verified_domains`,
    output: VerifiedDomains,
  },
} as const satisfies Record<string, Endpoint>;
