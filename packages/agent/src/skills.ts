import { canOffer, LOAD_SKILL, type OfferedFunction, tooManyTools } from "./offered-functions.ts";
import type { BuiltInTool, ToolAnswer } from "./tools.ts";

/** A skill as a model is shown it, before it loads the instructions. */
export interface OfferedSkill {
  readonly name: string;
  readonly description: string;
  /** Names of the tools that are offered once it is loaded. */
  readonly tools?: readonly string[] | undefined;
}

/** Longest output of a call; the rest is cut. */
const MAX_CHARACTERS = 200_000;

const READ_FILE = "skills__read_file";

/** A file of a skill as a model is shown it. */
interface OfferedFile {
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

/** Reads skills for the tools; a skill or file that no longer exists gives null or undefined. */
export interface SkillSource<Skill> {
  readonly loadInstructions: (skill: Skill) => Promise<string | null>;
  readonly listFiles: (skill: Skill) => Promise<readonly OfferedFile[] | null>;
  /** `text` is null for a file that is not text. */
  readonly readFile: (
    skill: Skill,
    name: string,
  ) => Promise<(OfferedFile & { readonly text: string | null }) | undefined>;
}

/** Describes skills for a model, a line for each; null without skills. */
export function describeSkills(skills: readonly OfferedSkill[]): string | null {
  if (skills.length === 0) return null;
  const lines = skills.map(
    ({ name, description }) => `- ${oneLine(name)}: ${oneLine(description)}`,
  );
  const what = skills.some(hasTools) ? "its instructions and tools" : "its instructions";
  return `You have skills. Before you use one, call ${LOAD_SKILL} with its name to get ${what}.\n${lines.join("\n")}`;
}

function hasTools({ tools = [] }: OfferedSkill): boolean {
  return tools.length > 0;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/**
 * The tools that give the instructions and files of skills to the model; none without skills. `functions` are those of
 * the turn, of which some come with skills.
 */
export function skillTools<Skill extends OfferedSkill>(
  skills: readonly Skill[],
  source: SkillSource<Skill>,
  functions: readonly OfferedFunction[] = [],
): BuiltInTool[] {
  if (skills.length === 0) return [];
  const names = skills.map(({ name }) => name);
  const nameOfSkill = { type: "string", enum: names };
  const unknownSkill = () => refuse(`No such skill. Skills: ${names.join(", ")}`);
  return [
    {
      name: LOAD_SKILL,
      description: "Returns the instructions of a skill and the names of its files",
      inputSchema: {
        type: "object",
        properties: { name: nameOfSkill },
        required: ["name"],
      },
      run: async ({ name }, loads) => {
        const skill = skills.find((one) => one.name === name);
        const instructions = skill === undefined ? null : await source.loadInstructions(skill);
        if (skill === undefined || instructions === null) return unknownSkill();
        const files = (await source.listFiles(skill)) ?? [];
        const parts = [instructions.slice(0, MAX_CHARACTERS)];
        if (files.length > 0) {
          parts.push(`Files of the skill, which ${READ_FILE} reads:\n${describeFiles(files)}`);
        }
        const named = skill.tools?.map((tool) => `- ${tool}`).join("\n");
        if (named) {
          const isOffered = canOffer(functions, loads, skill.name);
          const offer = `Tools of the skill, which you can call from the next step on:\n${named}`;
          parts.push(isOffered ? offer : tooManyTools);
        }
        return { output: parts.join("\n\n"), isError: false };
      },
    },
    {
      name: READ_FILE,
      description: "Returns the text of a file of a skill",
      inputSchema: {
        type: "object",
        properties: {
          name: nameOfSkill,
          file: { type: "string", description: `Name of the file, as returned by ${LOAD_SKILL}` },
        },
        required: ["name", "file"],
      },
      run: async ({ name, file }) => {
        const skill = skills.find((one) => one.name === name);
        if (skill === undefined) return unknownSkill();
        const found = typeof file === "string" ? await source.readFile(skill, file) : undefined;
        if (found === undefined) {
          const files = await source.listFiles(skill);
          if (files === null) return unknownSkill();
          return refuse(`The skill has no such file. Its files:\n${describeFiles(files)}`);
        }
        if (found.text === null) {
          return refuse(`Only text can be read, and this is not: ${describeFiles([found])}`);
        }
        return { output: found.text.slice(0, MAX_CHARACTERS), isError: false };
      },
    },
  ];
}

function refuse(output: string): ToolAnswer {
  return { output, isError: true };
}

function describeFiles(files: readonly OfferedFile[]): string {
  if (files.length === 0) return "none";
  return files
    .map(({ name, contentType, sizeBytes }) => `- ${name} (${contentType}, ${sizeBytes} bytes)`)
    .join("\n");
}
