import type { FunctionFolder } from "../functions/read-function-folder.ts";
import { type AgentDefinition, agentKind } from "./agent.ts";
import type { NamedDataSource } from "./agent-knowledge.ts";
import { functionKind } from "./function.ts";
import { type AlertDefinition, alertKind } from "./alert.ts";
import type { Kind, KindName, Listed, Read } from "./kind.ts";
import { type ScheduleDefinition, scheduleKind } from "./schedule.ts";
import type { DeclaredSettings, SettingsState } from "./settings.ts";
import { skillKind } from "./skill.ts";
import type { SkillDefinition } from "./skill-file.ts";
import { toolKind } from "./tool.ts";
import type { ToolDefinition } from "./tool-file.ts";
import { type TraceDestinationDefinition, traceDestinationKind } from "./trace-destination.ts";
import { type TriggerDefinition, triggerKind } from "./trigger.ts";
import { type WebhookDefinition, webhookKind } from "./webhook.ts";

/** The definitions of things, by their kinds. */
export interface Definitions {
  readonly tool: ToolDefinition;
  readonly skill: SkillDefinition;
  readonly function: FunctionFolder;
  readonly agent: AgentDefinition;
  readonly schedule: ScheduleDefinition;
  readonly trigger: TriggerDefinition;
  readonly webhook: WebhookDefinition;
  readonly alert: AlertDefinition;
  readonly "trace destination": TraceDestinationDefinition;
}

export const kinds: { readonly [K in KindName]: Kind<Definitions[K]> } = {
  tool: toolKind,
  skill: skillKind,
  function: functionKind,
  agent: agentKind,
  schedule: scheduleKind,
  trigger: triggerKind,
  webhook: webhookKind,
  alert: alertKind,
  "trace destination": traceDestinationKind,
};

/** The names of the kinds, in an order in which each thing finds what it names. */
export const kindNames = [
  "tool",
  "skill",
  "function",
  "agent",
  "schedule",
  "trigger",
  "webhook",
  "alert",
  "trace destination",
] as const satisfies KindName[];

/** A definition, and the file that has it. */
export interface Declared<D> {
  readonly file: string;
  readonly definition: D;
}

/** What a workspace has, as folders declare it: with names, never with ids. */
export interface WorkspaceDefinition extends DeclaredSettings {
  readonly things: { readonly [K in KindName]: readonly Definitions[K][] };
}

/** What a folder declares, with the file of each thing. */
export interface DeclaredWorkspace extends DeclaredSettings {
  readonly things: { readonly [K in KindName]: readonly Declared<Definitions[K]>[] };
}

/** What a workspace has: everything by its name, and what was asked for as it is. */
export interface WorkspaceState extends SettingsState {
  readonly wId: string;
  readonly listed: Readonly<Record<KindName, readonly Listed[]>>;
  readonly read: { readonly [K in KindName]: readonly Read<Definitions[K]>[] };
  readonly dataSources: readonly NamedDataSource[];
  /** Names of the secrets of functions that have a value. */
  readonly secretNames: ReadonlySet<string>;
}

/** The names that a folder declares of a kind. */
export function declaredNames<K extends KindName>(
  kind: K,
  things: DeclaredWorkspace["things"][K],
): ReadonlySet<string> {
  const { nameOf }: Kind<Definitions[K]> = kinds[kind];
  const declared: readonly Declared<Definitions[K]>[] = things;
  return new Set(declared.map(({ definition }) => nameOf(definition)));
}
