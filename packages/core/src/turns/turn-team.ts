import { conversations, type Queryable } from "@parley/db";
import { type TeamMode, teamTool } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { ActionRow, ConversationRow } from "../data-access/rows.ts";
import { type BriefAgent, findActiveAgents } from "../agents/agents.ts";

/** An agent of the team of a turn's agent, as a tool of its model. */
export interface Teammate {
  /** What the model calls. */
  readonly tool: string;
  readonly mode: TeamMode;
  /** In its current version. */
  readonly agent: BriefAgent;
}

/** Reads the active agents of an agent's team, in their order; nothing is read for an agent without one. */
export async function readTeam(
  db: Queryable,
  { workspaceId, team }: Pick<BriefAgent, "workspaceId" | "team">,
): Promise<Teammate[]> {
  if (team.length === 0) return [];
  const ids = team.map(({ agentId }) => agentId);
  const active = await findActiveAgents(db, workspaceId, ids);
  return team.flatMap(({ agentId, mode, name }) => {
    const agent = active.get(agentId);
    return agent === undefined ? [] : [{ tool: teamTool({ mode, name }), mode, agent }];
  });
}

/** The public id of the conversation that a task comes from; of any other, which is not read, its own. */
export async function readRootSid(
  db: Queryable,
  { sid, rootId }: Pick<ConversationRow, "sid" | "rootId">,
): Promise<string> {
  if (rootId === null) return sid;
  const [root] = await db
    .select({ sid: conversations.sid })
    .from(conversations)
    .where(eq(conversations.id, rootId));
  return root?.sid ?? sid;
}

/** How far agents may ask each other. */
export interface TeamLimits {
  /** How many tasks may lead to a conversation. */
  readonly depth: number;
  /** Tasks of an answer at once. */
  readonly atOnce: number;
  /** Tasks in all below a conversation. */
  readonly inAll: number;
}

/** A tool as a model is shown it. */
interface TeamTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
}

const taskSchema = {
  type: "object",
  properties: {
    task: {
      type: "string",
      description: "What to do, with all that the agent needs to know: it sees nothing else",
    },
    files: {
      type: "array",
      items: { type: "string" },
      description: "Ids of files of this conversation that the agent is given",
    },
    responseFormat: {
      type: "object",
      description: "What the answer must be; text by default",
      properties: {
        type: { type: "string", enum: ["json_schema"] },
        schema: { type: "object", description: "JSON Schema of the answer" },
      },
      required: ["type", "schema"],
    },
  },
  required: ["task"],
};

const handoverSchema = {
  type: "object",
  properties: {
    message: {
      type: "string",
      description: "What the agent should know, besides the conversation",
    },
  },
};

/** The tools with which a turn's model uses the team of its agent: none where tasks may not lead further. */
export function teamTools(
  { conversation, team }: TeamTurn,
  { depth }: Pick<TeamLimits, "depth">,
): TeamTool[] {
  return team.flatMap(({ tool: name, mode, agent }): TeamTool[] => {
    const about = agent.description.trim();
    const known = about === "" ? agent.name : `${agent.name} (${about})`;
    if (mode === "ask" && conversation.depth < depth) {
      const description = `Gives the agent ${known} a task, and returns its answer`;
      return [{ name, description, inputSchema: taskSchema }];
    }
    // A task is answered by the agent that was asked.
    if (mode === "handover" && conversation.depth === 0) {
      const description = `Lets the agent ${known} answer in your place, and ends your answer`;
      return [{ name, description, inputSchema: handoverSchema }];
    }
    return [];
  });
}

interface TeamTurn {
  readonly conversation: Pick<ConversationRow, "depth">;
  readonly team: readonly Teammate[];
}

/** Whether a turn has handed over to another agent: it ends once its other calls have. */
export function isHandedOver(
  { agent }: { readonly agent: Pick<BriefAgent, "team"> },
  calls: readonly Pick<ActionRow, "functionCallName" | "status">[],
): boolean {
  const tools = new Set(
    agent.team.flatMap((one) => (one.mode === "handover" ? teamTool(one) : [])),
  );
  return calls.some(({ functionCallName, status }) => {
    return status === "succeeded" && tools.has(functionCallName);
  });
}
