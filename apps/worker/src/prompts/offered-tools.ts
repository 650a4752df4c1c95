import type { OfferedFunction } from "@parley/agent";
import {
  applicationTools,
  askUserTool,
  memoryTool,
  type PromptNote,
  type TeamLimits,
  teamTools,
  type Turn,
} from "@parley/core";

/** The skills of a turn, with the names of the tools that come with each. */
export function skillsWithTools({ skills, tools }: Pick<Turn, "skills" | "tools">) {
  return skills.map((skill) => {
    const own = tools.filter(({ skillIds }) => skillIds?.includes(skill.id));
    return { ...skill, tools: own.map(({ name }) => name) };
  });
}

type OfferingTurn = Pick<
  Turn,
  "agent" | "skills" | "functions" | "tools" | "message" | "team" | "conversation" | "mounts"
>;

/** Whether the message of a turn lets its model call nothing. */
export function callsNothing({ message }: Pick<Turn, "message">): boolean {
  return message.answerSettings?.toolChoice === "none";
}

/**
 * What runs outside of a turn and its model may call: functions, tools of servers, the question to the user, other
 * agents, and the tools of the application that asks.
 */
export function functionsOf(
  turn: OfferingTurn,
  limits: Pick<TeamLimits, "depth">,
): OfferedFunction[] {
  if (callsNothing(turn)) return [];
  const remembers = turn.mounts.length > 0;
  const others = new Set([
    ...turn.team.map(({ tool }) => tool),
    ...(remembers ? [memoryTool.name] : []),
  ]);
  return [
    ...ownFunctions(turn).filter(({ name }) => !others.has(name)),
    ...teamTools(turn, limits),
    ...(remembers ? [{ ...memoryTool, anthropic: "memory_20250818" as const }] : []),
    ...applicationTools(turn).map(({ parameters: inputSchema, ...tool }) => ({
      ...tool,
      inputSchema,
    })),
  ];
}

/** Says which tools of the application are not offered, because their names are taken. */
export function notesOfTools(turn: OfferingTurn): PromptNote[] {
  const brought = turn.message.answerSettings?.functionTools ?? [];
  if (brought.length === 0 || callsNothing(turn)) return [];
  const offered = new Set(applicationTools(turn).map(({ name }) => name));
  return brought
    .filter(({ name }) => !offered.has(name))
    .map(({ name }) => {
      const message = `The tool ${name} was not offered: the agent has another one of that name`;
      return { code: "tool_name_taken", fileId: null, title: name, message };
    });
}

function ownFunctions({ agent, skills, functions, tools }: OfferingTurn): OfferedFunction[] {
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
