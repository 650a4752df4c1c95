import { CreateAgent, ShortText, text } from "@parley/schema";
import { writeYaml } from "@parley/core/skill-folders";
import * as z from "zod";
import type { AgentDefinition } from "./definitions.ts";
import { type ReadFile, readYamlFile } from "./read-yaml.ts";

const { description, instructions, pictureUrl, scope, model, maxStepsPerRun } = CreateAgent.shape;
const { script, asksUser, tags } = CreateAgent.shape;
const names = (max: number) => z.array(text(256, 1)).max(max).default([]);

/** `agents/<name>.yaml`. What it leaves out has the server's default. */
const AgentFile = z.object({
  name: ShortText.min(1).optional(),
  description: description.default(""),
  instructions,
  pictureUrl,
  scope,
  model,
  maxStepsPerRun,
  asksUser,
  tags,
  skills: names(50),
  functions: names(50),
  tools: names(16),
  script,
});

const DEFAULT_STEPS = 8;
const DEFAULT_TEMPERATURE = 0.7;

interface AgentTexts {
  readonly file: string;
  readonly text: string;
  /** What the file of its name in Markdown has, if there is one. */
  readonly markdown: string | undefined;
}

/** Reads the files of an agent; the name of the file is the agent's where it names none. */
export function readAgentFile({
  file,
  text: yaml,
  markdown,
}: AgentTexts): ReadFile<AgentDefinition> {
  const read = readYamlFile(AgentFile, { file, text: yaml });
  if ("faults" in read) return read;
  const { value } = read;
  if (value.instructions !== undefined && markdown !== undefined) {
    const message = `instructions: are in ${markdownOf(file)} too; leave them in one place`;
    return { faults: [{ file, message }] };
  }
  const inMarkdown = markdown?.replace(/\r?\n$/, "");
  const { temperature = DEFAULT_TEMPERATURE, providerId, modelId } = value.model;
  const { reasoningEffort = null } = value.model;
  const checked = readYamlFile(z.object({ instructions }), {
    file: markdownOf(file),
    text: JSON.stringify({ instructions: inMarkdown ?? null }),
  });
  if ("faults" in checked) return checked;
  return {
    value: {
      name: value.name ?? nameOf(file),
      description: value.description,
      instructions: value.instructions ?? inMarkdown ?? "",
      pictureUrl: value.pictureUrl ?? "",
      scope: value.scope ?? "visible",
      model: { providerId, modelId, temperature, reasoningEffort },
      maxStepsPerRun: value.maxStepsPerRun ?? DEFAULT_STEPS,
      asksUser: value.asksUser ?? false,
      tags: value.tags ?? [],
      skills: [...new Set(value.skills)],
      functions: [...new Set(value.functions)],
      tools: [...new Set(value.tools)],
      script: value.script ?? null,
    },
  };
}

/** Writes the files of an agent under `stem`; what has its default is left out. */
export function writeAgentFiles(agent: AgentDefinition, stem: string): Record<string, string> {
  const { instructions: said, skills, functions, tools, tags: tagged, ...members } = agent;
  const { reasoningEffort, ...pair } = members.model;
  const file = {
    name: members.name,
    description: members.description,
    ...(members.pictureUrl !== "" && { pictureUrl: members.pictureUrl }),
    ...(members.scope !== "visible" && { scope: members.scope }),
    model: { ...pair, ...(reasoningEffort !== null && { reasoningEffort }) },
    ...(members.maxStepsPerRun !== DEFAULT_STEPS && { maxStepsPerRun: members.maxStepsPerRun }),
    ...(members.asksUser && { asksUser: true }),
    ...(tagged.length > 0 && { tags: tagged }),
    ...(skills.length > 0 && { skills }),
    ...(functions.length > 0 && { functions }),
    ...(tools.length > 0 && { tools }),
    ...(members.script !== null && { script: members.script }),
  };
  return {
    [`${stem}.yaml`]: writeYaml(file),
    // The new line at the end of a file is not of the text.
    ...(said !== "" && { [`${stem}.md`]: `${said}\n` }),
  };
}

const nameOf = (file: string): string => file.replace(/^.*\//, "").replace(/\.ya?ml$/, "");

/** The file in Markdown of an agent's file in YAML. */
export const markdownOf = (file: string): string => file.replace(/\.ya?ml$/, ".md");
