import { oneLine } from "@parley/command/print";
import {
  type AgentMemory,
  type Compaction,
  CreateAgent,
  ShortText,
  SimulatedScript,
  text,
  toStoredFormat,
} from "@parley/schema";
import { writeYaml } from "@parley/core/skill-folders";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { FileKnowledge, knowledgeOf, sentKnowledge } from "./agent-knowledge.ts";
import {
  type Applying,
  type Entry,
  isDeclaration,
  type Kind,
  type Listed,
  type Read,
} from "./kind.ts";
import { type ReadFile, readYamlFile, stemOf, withoutDefaults, YAML } from "./yaml-file.ts";

const { description, instructions, pictureUrl, scope, model, maxStepsPerRun } = CreateAgent.shape;
const { script, asksUser, compaction, memory, responseFormat, tags, fallbackModels } =
  CreateAgent.shape;
const { team: Members } = CreateAgent.shape;
const namesUpTo = (max: number) => z.array(text(256, 1)).max(max).default([]);

/** `agents/<name>.yaml`. What it leaves out has the server's default. */
const AgentFile = z.object({
  name: ShortText.min(1).optional(),
  description: description.default(""),
  instructions,
  pictureUrl,
  scope,
  model,
  fallbackModels,
  maxStepsPerRun,
  asksUser,
  compaction,
  knowledge: FileKnowledge,
  memory,
  responseFormat,
  tags,
  skills: namesUpTo(50),
  functions: namesUpTo(50),
  tools: namesUpTo(16),
  team: z
    .array(
      z.strictObject({
        agent: text(256, 1),
        name: z.string(),
        mode: z.enum(["ask", "handover"]).default("ask"),
      }),
    )
    .default([])
    // Names are the server's to judge.
    .superRefine((team, context) => {
      const judged = Members.safeParse(
        team.map(({ agent, ...one }) => ({ agentId: agent, ...one })),
      );
      for (const { path, message } of judged.error?.issues ?? []) {
        context.addIssue({ code: "custom", path: [...path], message });
      }
    }),
  script,
});

export type AgentDefinition = ReturnType<typeof definitionOf>;

/** The settings that are said, in one order, so that equal ones are written and compared alike. */
function settingsOf({ enabled, startsAtPercent, keepsMessages }: Partial<Compaction>) {
  return {
    ...(enabled !== undefined && { enabled }),
    ...(startsAtPercent !== undefined && { startsAtPercent }),
    ...(keepsMessages !== undefined && { keepsMessages }),
  };
}

/** What is said of a memory, in one order. */
function memoryOf({ user, agentUser, agent, space }: Partial<AgentMemory>) {
  return {
    ...(user !== undefined && { user }),
    ...(agentUser !== undefined && { agentUser }),
    ...(agent !== undefined && { agent }),
    ...(space !== undefined && { space }),
  };
}

/** An agent as files declare it: with empty texts if it has no instructions, or no picture of its own. */
function definitionOf(value: z.output<typeof AgentFile>, name = "") {
  const { providerId, modelId, temperature = 0.7 } = value.model;
  // Null for the model's default.
  const { reasoningEffort = null } = value.model;
  return {
    name: value.name ?? name,
    description: value.description,
    instructions: value.instructions ?? "",
    pictureUrl: value.pictureUrl ?? "",
    scope: value.scope ?? "visible",
    model: { providerId, modelId, temperature, reasoningEffort },
    fallbackModels: value.fallbackModels ?? [],
    maxStepsPerRun: value.maxStepsPerRun ?? 8,
    asksUser: value.asksUser ?? false,
    compaction: settingsOf(value.compaction ?? {}),
    knowledge: knowledgeOf(value.knowledge ?? {}),
    memory: memoryOf(value.memory ?? {}),
    responseFormat: value.responseFormat ? toStoredFormat(value.responseFormat) : null,
    tags: value.tags ?? [],
    skills: [...new Set(value.skills)],
    functions: [...new Set(value.functions)],
    tools: [...new Set(value.tools)],
    team: value.team.map(({ agent, name: called, mode }) => ({ agent, name: called, mode })),
    script: value.script ?? null,
  };
}

const { model: _model, ...defaults } = definitionOf(
  AgentFile.parse({ model: { providerId: "-", modelId: "-" } }),
);

/** Reads the files of an agent; the name of the file is the agent's if it names none. */
async function readAgent({ file, entries, text: read }: Entry): Promise<ReadFile<AgentDefinition>> {
  if (!YAML.test(file)) {
    const has = (extension: string) => entries.includes(file.replace(/\.md$/, extension));
    const isInstructions = file.endsWith(".md") && (has(".yaml") || has(".yml"));
    const message = "does not belong to an agent: agent files end in .yaml";
    return { faults: isInstructions ? [] : [{ file, message }] };
  }
  const beside = file.replace(YAML, ".md");
  const yaml = await read(file);
  const markdown = entries.includes(beside) ? await read(beside) : undefined;
  const agent = readYamlFile(AgentFile, { file, text: yaml });
  if ("faults" in agent) return agent;
  const { value } = agent;
  if (value.instructions !== undefined && markdown !== undefined) {
    const message = `instructions: are also in ${beside}; keep them in one file`;
    return { faults: [{ file, message }] };
  }
  const inMarkdown = markdown?.replace(/\r?\n$/, "");
  const checked = readYamlFile(z.object({ instructions }), {
    file: beside,
    text: JSON.stringify({ instructions: inMarkdown ?? null }),
  });
  if ("faults" in checked) {
    // The text is the whole file.
    return { faults: checked.faults.map(({ message }) => ({ file: beside, message })) };
  }
  const said = value.instructions ?? inMarkdown;
  return { value: definitionOf({ ...value, instructions: said }, stemOf(file)) };
}

function writeAgent(agent: AgentDefinition, stem: string) {
  const { name, description: about, instructions: said, ...others } = agent;
  const { reasoningEffort, ...pair } = others.model;
  const used = { ...pair, ...(reasoningEffort !== null && { reasoningEffort }) };
  const members = withoutDefaults({ ...others, model: used }, defaults);
  return {
    files: {
      [`${stem}.yaml`]: writeYaml({ name, description: about, ...members }),
      // The new line at the end of a file is not of the text.
      ...(said !== "" && { [`${stem}.md`]: `${said}\n` }),
    },
  };
}

/** An agent with all its parts, as the client reads it. */
type ShownAgent = Awaited<ReturnType<ServerConnection["rpc"]["agents"]["getDefinition"]["query"]>>;

/** The path of the picture of agents that have none of their own. */
const DEFAULT_PICTURE = /^\/pictures\/agent-\d+\.svg$/;

/** Names of things that are not archived, by their ids. */
type Names = Readonly<Record<"skill" | "function" | "tool" | "agent", ReadonlyMap<string, string>>>;

/** An agent as folders declare it: without what it has that is archived. */
export function readShownAgent(
  one: Listed,
  shown: ShownAgent,
  names: Names,
): Read<AgentDefinition> {
  const namesOf = (kind: keyof Names, ids: readonly string[]) =>
    ids.flatMap((id) => names[kind].get(id) ?? []);
  const { agentConfiguration: agent, reasoningEffort } = shown;
  const isDefault = DEFAULT_PICTURE.test(URL.parse(agent.pictureUrl)?.pathname ?? "");
  const { providerId, modelId, temperature } = agent.model;
  return {
    ...one,
    version: agent.version,
    definition: {
      name: agent.name,
      description: agent.description,
      instructions: agent.instructions ?? "",
      pictureUrl: isDefault ? "" : agent.pictureUrl,
      scope: agent.scope === "hidden" ? "hidden" : "visible",
      model: { providerId, modelId, temperature, reasoningEffort },
      fallbackModels: shown.fallbackModels,
      maxStepsPerRun: agent.maxStepsPerRun,
      asksUser: shown.asksUser,
      compaction: settingsOf(shown.compaction),
      knowledge: knowledgeOf(shown.knowledge),
      memory: memoryOf(shown.memory),
      responseFormat: shown.responseFormat,
      tags: shown.tags,
      skills: namesOf("skill", shown.skillIds),
      functions: namesOf("function", shown.functionIds),
      tools: namesOf("tool", shown.toolIds),
      team: shown.team.flatMap(({ agentId, name, mode }) => {
        const called = names.agent.get(agentId);
        return called === undefined ? [] : [{ agent: called, name, mode }];
      }),
      script: shown.script && SimulatedScript.parse(shown.script),
    },
  };
}

function membersOf({ ids }: Applying, agent: AgentDefinition) {
  const {
    skills,
    functions,
    tools,
    team,
    script: _script,
    responseFormat: _format,
    ...members
  } = agent;
  return {
    ...members,
    knowledge: sentKnowledge(members.knowledge),
    team: team.map(({ agent: named, name, mode }) => {
      return { agentId: ids.agent.get(named) ?? named, name, mode };
    }),
    skillIds: skills.map((name) => ids.skill.get(name) ?? name),
    functionIds: functions.map((name) => ids.function.get(name) ?? name),
    toolIds: tools.map((name) => ids.tool.get(name) ?? name),
  };
}

export const agentKind: Kind<AgentDefinition> = {
  folder: "agents",
  nameOf: ({ name }) => name,
  isTaken: isDeclaration,
  read: readAgent,
  write: writeAgent,
  usesOf: ({ skills, functions, tools, team }) => [
    ["skill", skills],
    ["function", functions],
    ["tool", tools],
    ["agent", team.map(({ agent }) => agent)],
  ],
  compared: (agent) => ({ ...agent }),
  create: async (applying, agent) => {
    const { rpc, wId } = applying.connection;
    const { script: played, responseFormat: format } = agent;
    const own = { script: played ?? undefined, responseFormat: format ?? undefined };
    // Of agents that name each other, one is created without those that are not there yet.
    const known = agent.team.filter((mate) => applying.ids.agent.has(mate.agent));
    const draft = { wId, ...membersOf(applying, { ...agent, team: known }), ...own };
    const { agentConfiguration } = await callServer(rpc.agents.create.mutate(draft));
    const { sId: agentId, version } = agentConfiguration;
    if (known.length < agent.team.length) {
      const run = async (): Promise<void> => {
        const { team } = membersOf(applying, agent);
        await callServer(rpc.agents.update.mutate({ wId, agentId, version, team }));
      };
      applying.afterAll.push({ of: `the team of agent ${oneLine(agent.name)}`, run });
    }
    return agentId;
  },
  update: async (applying, { before, after, changed }) => {
    const { rpc, wId } = applying.connection;
    const { id: agentId, version, isArchived } = before;
    // It is changed before it is restored, so that nobody meets it as it was.
    if (changed.size > 0) {
      const { script: played, responseFormat: format } = after;
      const change = { ...membersOf(applying, after), script: played, responseFormat: format };
      await callServer(rpc.agents.update.mutate({ wId, agentId, version, ...change }));
    }
    if (isArchived) await callServer(rpc.agents.restore.mutate({ wId, agentId }));
  },
  remove: async ({ rpc, wId }, { id }) => {
    await callServer(rpc.agents.archive.mutate({ wId, agentId: id }));
  },
};
