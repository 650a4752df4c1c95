import type { Output } from "parley-client";
import type { rpc } from "../api/clients.ts";
import { teamText } from "./definition.ts";

/** A version of an agent as stored, as it is read. */
export type AgentVersion = Awaited<ReturnType<typeof rpc.agents.getVersion.query>>;

/** Names of the members of a definition, as the editor has them. */
export const memberNames = {
  name: "Name",
  description: "Description",
  instructions: "Instructions",
  pictureUrl: "Picture",
  scope: "Visibility",
  model: "Model",
  fallbackModels: "Fallback models",
  maxStepsPerRun: "Max steps per turn",
  script: "Script",
  asksUser: "Can ask the user questions",
  team: "Team",
  compaction: "Summaries",
  knowledge: "Knowledge",
  memory: "Memory",
  responseFormat: "Schema of the answers",
  tags: "Tags",
  skillIds: "Additional skills",
  functionIds: "Functions",
  toolIds: "Additional tools",
} as const satisfies Record<
  NonNullable<Output<"agents.listVersions">["versions"][number]["changes"]>[number],
  string
>;

type Member = keyof typeof memberNames;

/** What changed in a version, in words. */
export function describeChanges(changes: readonly Member[] | null): string {
  if (changes === null) return "First version";
  return changes.map((member) => memberNames[member]).join(", ") || "Nothing";
}

/** The members of a version in the order of the editor, each as text. */
export function fieldsOf(version: AgentVersion): readonly (readonly [string, string])[] {
  const { agentConfiguration: agent, reasoningEffort } = version;
  const { providerId, modelId, temperature } = agent.model;
  const model = [
    `${providerId}/${modelId}`,
    `Temperature ${temperature}`,
    ...(reasoningEffort === null ? [] : [`Reasoning effort ${reasoningEffort}`]),
  ];
  const texts: Record<Member, string> = {
    name: agent.name,
    description: agent.description,
    instructions: agent.instructions ?? "",
    pictureUrl: agent.pictureUrl,
    scope: agent.scope,
    model: model.join("\n"),
    fallbackModels: version.fallbackModels
      .map((one) => `${one.providerId}/${one.modelId}`)
      .join("\n"),
    maxStepsPerRun: String(agent.maxStepsPerRun),
    script: jsonOf(version.script),
    asksUser: version.asksUser ? "yes" : "no",
    team: teamText(version.team),
    compaction: jsonOf(version.compaction),
    knowledge: jsonOf(version.knowledge),
    memory: jsonOf(version.memory),
    responseFormat: jsonOf(version.responseFormat),
    tags: version.tags.map(({ name, kind }) => `${name} (${kind})`).join("\n"),
    skillIds: version.skillIds.join("\n"),
    functionIds: version.functionIds.join("\n"),
    toolIds: version.toolIds.join("\n"),
  };
  // Both have the same members.
  return Object.entries(memberNames).map(
    ([member, name]) => [name, texts[member as Member]] as const,
  );
}

const jsonOf = (value: unknown): string => (value === null ? "" : JSON.stringify(value, null, 2));
