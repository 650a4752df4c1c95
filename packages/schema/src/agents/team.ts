import * as z from "zod";
import { optional, Reference, text } from "../parsing/text.ts";
import { ResponseFormat } from "../workspaces/response-formats.ts";

/** How an agent may use another: ask it and wait, or let it answer in its place. */
export const TeamMode = z.enum(["ask", "handover"]);
export type TeamMode = z.infer<typeof TeamMode>;

const prefixes = { ask: "ask_", handover: "handover_to_" } as const satisfies Record<
  TeamMode,
  string
>;

/** Characters of a name with which the name of every tool has at most 64. */
const MAX_NAME = 52;
/** Agents of a team. */
export const MAX_TEAM = 16;

/** The tool with which an agent uses a member of its team. */
export const teamTool = ({ mode, name }: { mode: TeamMode; name: string }): string =>
  `${prefixes[mode]}${name}`;

const name = z
  .string()
  .regex(/^[a-z0-9_]+$/, "must have lowercase letters, digits and _ only")
  .max(MAX_NAME);
const said = {
  agentId: "Id of the other agent",
  name: "Name of the agent in the name of the tool: ask_<name> or handover_to_<name>",
  mode: "Whether the agent asks the other one and waits for its answer (ask), or lets it answer in its place (handover)",
};

/** Another agent that an agent may use. */
export const TeamMember = z.object({
  agentId: z.string().describe(said.agentId).meta({ example: "helper" }),
  name: z.string().describe(said.name).meta({ example: "researcher" }),
  mode: TeamMode.describe(said.mode).meta({ example: "ask" }),
});
export type TeamMember = z.infer<typeof TeamMember>;

const member = z.strictObject({
  agentId: Reference.describe(said.agentId),
  name: name.describe(said.name),
  mode: optional(TeamMode)
    .transform((mode) => mode ?? "ask")
    .describe(`${said.mode}; ask by default`),
});

/** Reserved by the tool with which an agent asks its user. */
const TAKEN = "ask_user";

/** The agents that an agent may ask and hand over to; their tools have different names. */
export const Team = z
  .array(member)
  .max(MAX_TEAM)
  .superRefine((members, context) => {
    const seen = new Set([TAKEN]);
    for (const [index, one] of members.entries()) {
      const tool = teamTool(one);
      if (!seen.has(tool)) {
        seen.add(tool);
        continue;
      }
      const message = `the name of the tool ${tool} is taken`;
      context.addIssue({ code: "custom", path: [index, "name"], message });
    }
  });
export type Team = z.output<typeof Team>;

/** Characters of a task. */
const MAX_TASK = 200_000;
/** Files of a task. */
const MAX_FILES = 10;

/** What a model says when it asks another agent. */
export const TaskInput = z.object({
  task: text(MAX_TASK, 1).describe("What to do"),
  files: optional(z.array(Reference).max(MAX_FILES)).describe("Ids of files that it is given"),
  responseFormat: optional(ResponseFormat).describe("What the answer must be; text by default"),
});
export type TaskInput = z.output<typeof TaskInput>;

/** What a model says when it hands over to another agent. */
export const HandoverInput = z.object({
  message: optional(text(MAX_TASK, 1)).describe("What the other agent should know"),
});
export type HandoverInput = z.output<typeof HandoverInput>;
