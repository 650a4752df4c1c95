import * as z from "zod";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { fromQuery, Milliseconds, optional } from "../parsing/text.ts";
import { AgentIdentity, AgentWithScript } from "./agents.ts";

/** The members of a definition that versions of an agent may differ in. */
export const agentMembers = [
  "name",
  "description",
  "instructions",
  "pictureUrl",
  "scope",
  "model",
  "fallbackModels",
  "maxStepsPerRun",
  "script",
  "asksUser",
  "team",
  "compaction",
  "knowledge",
  "memory",
  "responseFormat",
  "tags",
  "skillIds",
  "functionIds",
  "toolIds",
] as const;

export const ListAgentVersions = AgentIdentity.extend(pageByNumber("Versions", 20));
export type ListAgentVersions = z.output<typeof ListAgentVersions>;

const number = z.int().min(0).max(2_147_483_647);

export const AgentVersionIdentity = AgentIdentity.extend({
  agentVersion: fromQuery(number).describe("Number of the version, from 0").meta({ example: 0 }),
});
export type AgentVersionIdentity = z.output<typeof AgentVersionIdentity>;

export const RestoreAgentVersion = AgentVersionIdentity.extend({
  version: optional(number)
    .describe("Version that the change is based on; the current one by default")
    .meta({ example: 1 }),
});
export type RestoreAgentVersion = z.output<typeof RestoreAgentVersion>;

const editor = z
  .object({
    sId: z.string().describe("Id of the user"),
    name: z.string().describe("Name of the user"),
  })
  .nullable()
  .describe("Who created it; null for an operator, and if it was not kept")
  .meta({ example: null });

/** A version of an agent without its definition. */
export const ListedAgentVersion = z.object({
  version: z.int().describe("Number of the version, from 0").meta({ example: 1 }),
  createdAt: Milliseconds.describe("When the version was created"),
  editor,
  isCurrent: z.boolean().describe("Whether mentions resolve to it"),
  name: z.string().describe("Name of the agent").meta({ example: "helper" }),
  providerId: z.string().describe("Provider of its model").meta({ example: "simulated" }),
  modelId: z.string().describe("Model of the provider").meta({ example: "simulated-1" }),
  changes: z
    .array(z.enum(agentMembers))
    .nullable()
    .describe(
      "What differs from the version before; null if there is none before, or it was deleted",
    )
    .meta({ example: ["instructions"] }),
});
export type ListedAgentVersion = z.infer<typeof ListedAgentVersion>;

export const AgentVersionPage = z.object({
  versions: z
    .array(ListedAgentVersion)
    .describe(
      "Versions, newest first; old unused ones are deleted (PARLEY_VERSION_RETENTION_DAYS)",
    ),
  ...pageEnd,
});
export type AgentVersionPage = z.infer<typeof AgentVersionPage>;

/** What an agent was in one of its versions, which never change. */
export const AgentVersionDefinition = AgentWithScript.extend({
  editor,
  isCurrent: z.boolean().describe("Whether mentions resolve to it"),
});
export type AgentVersionDefinition = z.infer<typeof AgentVersionDefinition>;
