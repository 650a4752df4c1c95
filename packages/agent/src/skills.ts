import type { BuiltInTool } from "./tools.ts";

/** A skill as a model hears of it before it asks for the instructions. */
export interface OfferedSkill {
  readonly name: string;
  readonly description: string;
}

/** Characters of instructions that a call is answered with; what is longer is cut. */
const MAX_CHARACTERS = 200_000;

const LOAD = "skills__load";

/** Tells a model which skills it has, a line for each; null where it has none. */
export function describeSkills(skills: readonly OfferedSkill[]): string | null {
  if (skills.length === 0) return null;
  const lines = skills.map(
    ({ name, description }) => `- ${oneLine(name)}: ${oneLine(description)}`,
  );
  return `You have skills. Before you use one, call ${LOAD} with its name to get its instructions.\n${lines.join("\n")}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** The tool that hands a skill's instructions to the model; there is none without skills. */
export function skillTools<Skill extends OfferedSkill>(
  skills: readonly Skill[],
  loadInstructions: (skill: Skill) => Promise<string | null>,
): BuiltInTool[] {
  if (skills.length === 0) return [];
  const names = skills.map(({ name }) => name);
  return [
    {
      name: LOAD,
      description: "Gives the instructions of a skill",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string", enum: names } },
        required: ["name"],
      },
      run: async ({ name }) => {
        const skill = skills.find((one) => one.name === name);
        const instructions = skill === undefined ? null : await loadInstructions(skill);
        if (instructions === null) {
          const output = `There is no such skill. Skills: ${names.join(", ")}`;
          return { output, isError: true };
        }
        return { output: instructions.slice(0, MAX_CHARACTERS), isError: false };
      },
    },
  ];
}
