import type { RpcClient } from "parley-client";
import { objectOf } from "../ui/parse-json.ts";
import { draftOfKnowledge, type KnowledgeDraft, knowledgeOfDraft } from "./knowledge-draft.ts";

/** The server's input to create an agent, without its workspace. */
export type AgentInput = Omit<Parameters<RpcClient["agents"]["create"]["mutate"]>[0], "wId">;

/** An agent as stored. */
export type StoredAgent = Awaited<ReturnType<RpcClient["agents"]["getDefinition"]["query"]>>;

type ModelPair = StoredAgent["fallbackModels"][number];

/** An agent as edited: numbers and the script are texts. */
export interface AgentDraft {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** Provider and model, with a slash between them. */
  readonly model: string;
  /** Those that answer in its place, in order. */
  readonly fallbackModels: readonly string[];
  readonly temperature: string;
  /** Empty for the model's default. */
  readonly reasoningEffort: NonNullable<StoredAgent["reasoningEffort"]> | "";
  readonly maxStepsPerRun: string;
  readonly scope: "visible" | "hidden";
  readonly asksUser: boolean;
  readonly skillIds: readonly string[];
  readonly functionIds: readonly string[];
  readonly toolIds: readonly string[];
  /** A line for each agent of its team, as `teamText` writes them. */
  readonly team: string;
  /** JSON of the schema of its answers; empty for text. */
  readonly answerSchema: string;
  /** Whether the model's service must enforce the schema. */
  readonly isStrict: boolean;
  /** When the oldest messages are summarised; what is empty has its default. */
  readonly compaction: {
    readonly enabled: "" | "on" | "off";
    readonly startsAtPercent: string;
    readonly keepsMessages: string;
  };
  readonly knowledge: KnowledgeDraft;
  /** What the agent may do with the files that it remembers; a scope that is left out is off. */
  readonly memory: Memory;
  /** JSON of the script for the simulated provider; empty without one. */
  readonly script: string;
}

/** A new agent, before any edit. */
export const emptyDraft: AgentDraft = {
  name: "",
  description: "",
  instructions: "",
  model: "",
  fallbackModels: [],
  temperature: "0.7",
  reasoningEffort: "",
  maxStepsPerRun: "8",
  scope: "visible",
  asksUser: false,
  skillIds: [],
  functionIds: [],
  toolIds: [],
  team: "",
  answerSchema: "",
  isStrict: false,
  compaction: { enabled: "", startsAtPercent: "", keepsMessages: "" },
  knowledge: { everything: false, dataSourceIds: [], tags: "", folders: "" },
  memory: {},
  script: "",
};

/** The draft of a stored agent. */
export function draftOf(stored: StoredAgent): AgentDraft {
  const { agentConfiguration: agent, script, skillIds, functionIds, toolIds, asksUser } = stored;
  const { responseFormat } = stored;
  return {
    name: agent.name,
    description: agent.description,
    instructions: agent.instructions ?? "",
    model: nameOf(agent.model),
    fallbackModels: stored.fallbackModels.map(nameOf),
    temperature: String(agent.model.temperature),
    reasoningEffort: stored.reasoningEffort ?? "",
    maxStepsPerRun: String(agent.maxStepsPerRun),
    scope: agent.scope === "hidden" ? "hidden" : "visible",
    asksUser,
    skillIds,
    functionIds,
    toolIds,
    team: teamText(stored.team),
    answerSchema: responseFormat ? JSON.stringify(responseFormat.schema, null, 2) : "",
    isStrict: responseFormat?.strict ?? false,
    compaction: draftOfCompaction(stored.compaction),
    knowledge: draftOfKnowledge(stored.knowledge),
    memory: stored.memory,
    script: script === null ? "" : JSON.stringify(script, null, 2),
  };
}

/** The server's input for a draft. Throws an `Error` with a readable message. */
export function inputOfDraft(draft: AgentDraft): AgentInput {
  const { model, temperature, reasoningEffort, maxStepsPerRun, script, ...others } = draft;
  const { answerSchema, isStrict: strict, ...rest } = others;
  if (model === "") throw new Error("Choose a model");
  return {
    ...rest,
    skillIds: [...draft.skillIds],
    functionIds: [...draft.functionIds],
    toolIds: [...draft.toolIds],
    team: teamOf(draft.team),
    model: {
      ...pairOf(model),
      temperature: numberOf("Temperature", temperature),
      reasoningEffort: reasoningEffort || null,
    },
    fallbackModels: draft.fallbackModels.map(pairOf),
    maxStepsPerRun: numberOf("Max steps per turn", maxStepsPerRun),
    compaction: compactionOfDraft(draft.compaction),
    knowledge: knowledgeOfDraft(draft.knowledge),
    memory: draft.memory,
    // The server validates the schema and the script.
    ...(answerSchema.trim() !== "" && {
      responseFormat: {
        type: "json_schema" as const,
        schema: objectOf("Schema of the answers", answerSchema),
        strict,
      },
    }),
    ...(script.trim() !== "" && { script: objectOf("Script", script) as AgentInput["script"] }),
  };
}

/** The members of a team, a line for each: `name: agent id`, with `(handover)` after those that take over. */
export function teamText(team: StoredAgent["team"]): string {
  return team
    .map(({ name, agentId, mode }) => `${name}: ${agentId}${mode === "ask" ? "" : ` (${mode})`}`)
    .join("\n");
}

const MEMBER = /^([^:\s]+):\s*(\S+?)(\s+\(handover\))?$/;

function teamOf(text: string): NonNullable<AgentInput["team"]> {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, name, agentId, handover] = MEMBER.exec(line) ?? [];
      if (name === undefined || agentId === undefined) {
        throw new Error(`Team: "${line}" is not a name, a colon and the id of an agent`);
      }
      return { name, agentId, mode: handover === undefined ? "ask" : "handover" };
    });
}

type Compaction = StoredAgent["compaction"];
type Memory = StoredAgent["memory"];

function draftOfCompaction(stored: Compaction): AgentDraft["compaction"] {
  const { enabled, startsAtPercent = "", keepsMessages = "" } = stored;
  const numbers = {
    startsAtPercent: String(startsAtPercent),
    keepsMessages: String(keepsMessages),
  };
  return { enabled: enabled === undefined ? "" : enabled ? "on" : "off", ...numbers };
}

function compactionOfDraft(draft: AgentDraft["compaction"]): Compaction {
  const { enabled, startsAtPercent: percent, keepsMessages: count } = draft;
  return {
    ...(enabled !== "" && { enabled: enabled === "on" }),
    ...(percent !== "" && { startsAtPercent: numberOf("The share of the context", percent) }),
    ...(count !== "" && { keepsMessages: numberOf("The number of newest messages", count) }),
  };
}

function nameOf({ providerId, modelId }: ModelPair): string {
  return `${providerId}/${modelId}`;
}

/** A model by its name: provider and model, with a slash between them. */
export function pairOf(name: string): ModelPair {
  // Models of some providers have slashes in their names.
  const slash = name.indexOf("/");
  return { providerId: name.slice(0, slash), modelId: name.slice(slash + 1) };
}

function numberOf(label: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new Error(`${label} must be a number`);
  return value;
}
