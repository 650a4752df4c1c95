import type { FunctionFolder } from "../functions/read-function-folder.ts";
import type {
  AgentDefinition,
  SettingsDefinition,
  SkillDefinition,
  ToolDefinition,
} from "./definitions.ts";

/** The kinds of things that have a name, and are created and changed. */
export type Kind = "tool" | "skill" | "function" | "agent";

/** Something of a workspace, by its name. */
export interface Listed {
  readonly name: string;
  readonly id: string;
  /** Archived things are there again when they are restored. */
  readonly isArchived: boolean;
  /** Built-in things are left alone. */
  readonly isBuiltIn?: boolean;
  /** Where the list has it. */
  readonly version?: number;
}

/** Something that was read, in the version that it had. */
export interface Read<D> extends Listed {
  readonly version: number;
  readonly definition: D;
}

export interface ReadSpace {
  readonly name: string;
  readonly id: string;
  readonly isOpen: boolean;
  readonly isRestricted: boolean;
}

/** What a workspace has: everything by its name, and what was asked for as it is. */
export interface WorkspaceState {
  readonly wId: string;
  /** Undefined where the key may not read them. */
  readonly settings: SettingsDefinition | undefined;
  /** The name; also where the settings may not be read. */
  readonly name: string;
  readonly spaces: readonly ReadSpace[];
  readonly listed: Readonly<Record<Kind, readonly Listed[]>>;
  readonly tools: readonly Read<ToolDefinition>[];
  readonly skills: readonly Read<SkillDefinition>[];
  readonly functions: readonly Read<FunctionFolder>[];
  readonly agents: readonly Read<AgentDefinition>[];
  /** The id of the key, where it is known. */
  readonly keyId: string | undefined;
  /** Names of the secrets of functions that have a value. */
  readonly secretNames: ReadonlySet<string>;
}
