import type { OfferedFunction } from "@parley/agent";
import { askUserTool, type Turn } from "@parley/core";

/** The skills of a turn, with the names of the tools that come with each. */
export function skillsWithTools({ skills, tools }: Pick<Turn, "skills" | "tools">) {
  return skills.map((skill) => {
    const own = tools.filter(({ skillIds }) => skillIds?.includes(skill.id));
    return { ...skill, tools: own.map(({ name }) => name) };
  });
}

/** What runs outside of a turn and its model may call: functions, tools of servers, and the question to the user. */
export function functionsOf({
  agent,
  skills,
  functions,
  tools,
}: Pick<Turn, "agent" | "skills" | "functions" | "tools">): OfferedFunction[] {
  return [
    ...functions.map(({ slug: name, description, inputSchema }) => {
      return { name, description, inputSchema: inputSchema ?? { type: "object" } };
    }),
    ...tools.map(({ name, description, inputSchema, skillIds, server: { approvals } }) => {
      const server = { id: "toolId" in approvals ? approvals.toolId : null };
      const tool = { name, description, inputSchema, server };
      if (skillIds === null) return tool;
      const ofTool = skills.filter(({ id }) => skillIds.includes(id));
      return { ...tool, skills: ofTool.map((skill) => skill.name) };
    }),
    ...(agent.asksUser ? [askUserTool] : []),
  ];
}
