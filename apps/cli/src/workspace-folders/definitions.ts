import type {
  AgentTag,
  CreateTool,
  ReasoningEffort,
  Region,
  SimulatedScript,
  Skill,
  Stake,
} from "@parley/schema";
import type { FunctionFolder } from "../functions/read-function-folder.ts";

/** What a workspace has, as folders declare it: with names, never with ids. */
export interface WorkspaceDefinition {
  readonly settings: SettingsDefinition;
  readonly spaces: readonly SpaceDefinition[];
  readonly tools: readonly ToolDefinition[];
  readonly skills: readonly SkillDefinition[];
  readonly functions: readonly FunctionFolder[];
  readonly agents: readonly AgentDefinition[];
}

/** Settings of a workspace; those that are undefined are not declared. */
export interface SettingsDefinition {
  readonly name?: string | undefined;
  readonly region?: Region | undefined;
  readonly regionalModelsOnly?: boolean | undefined;
  /** By provider and id. */
  readonly models?: readonly ModelName[] | undefined;
}

export interface ModelName {
  readonly providerId: string;
  readonly modelId: string;
}

export interface SpaceDefinition {
  readonly name: string;
  readonly isRestricted: boolean;
}

export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Empty for none. */
  readonly instructions: string;
  /** Empty for the default picture. */
  readonly pictureUrl: string;
  readonly scope: "hidden" | "visible";
  readonly model: ModelName & {
    readonly temperature: number;
    /** Null for the model's default. */
    readonly reasoningEffort: ReasoningEffort | null;
  };
  readonly maxStepsPerRun: number;
  readonly asksUser: boolean;
  readonly tags: readonly AgentTag[];
  readonly skills: readonly string[];
  readonly functions: readonly string[];
  readonly tools: readonly string[];
  readonly script: SimulatedScript | null;
}

export interface SkillDefinition {
  readonly name: string;
  /** For agents. */
  readonly description: string;
  readonly userFacingDescription: string;
  /** Without white space around them; empty for none. */
  readonly instructions: string;
  /** Empty for none. */
  readonly icon: string;
  readonly status: "active" | "suggested";
  readonly availability: Skill["availability"];
  readonly reinforcement: Skill["reinforcement"];
  readonly tools: readonly string[];
  /** Without the spaces of its tools. */
  readonly spaces: readonly string[];
  /** Its files, by their paths. */
  readonly files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
  /** Paths of those that are executable. */
  readonly executables: readonly string[];
  /** The text of its SKILL.md, in a folder that is named for the skill. */
  readonly skillFile: string;
}

/** A tool: of a remote server that is called, or one that is only described. */
export type ToolDefinition = ToolMembers &
  ({ readonly connection: ConnectionDefinition } | { readonly described: DescribedServer });

interface ToolMembers {
  readonly name: string;
  /** Undefined for the server's own words. */
  readonly description: string | undefined;
  /** Undefined for the open space. */
  readonly space: string | undefined;
  readonly isRestrictedToSkills: boolean;
}

/** How a server is called. Secrets are named as in `Bearer {{secrets.ORDERS_TOKEN}}`. */
export interface ConnectionDefinition {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth: OAuthDefinition | null;
  readonly defaultStake: Stake;
  readonly stakes: Readonly<Record<string, Stake>>;
  readonly retryableTools: readonly string[];
  readonly timeoutMs: number;
  readonly maxConcurrent: number;
}

export interface OAuthDefinition {
  readonly grant: "client_credentials" | "authorization_code";
  /** Undefined where Parley registers itself. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly scope: string | undefined;
}

export type DescribedServer = Pick<CreateTool, "serverType" | "server"> & {
  readonly oAuthUseCase: NonNullable<CreateTool["oAuthUseCase"]>;
};
