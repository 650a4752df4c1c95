import { agents, conversations, type Queryable } from "@parley/db";
import {
  type AgentLaunch,
  type FunctionLaunch,
  invalidRequest,
  type Launch,
  launchKinds,
  ParleyError,
} from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { findMember } from "../access/acting-users.ts";
import { reachesConversation } from "../access/conversation-reach.ts";
import { requireSpace } from "../access/space-reach.ts";
import { requireEditor } from "../agents/agent-editors.ts";
import { type BriefAgent, briefColumns, findActiveAgents, noSuchAgent } from "../agents/agents.ts";
import type { Process, WorkspaceCaller } from "../context.ts";
import {
  findSandboxFunction,
  type InvocableFunction,
  unknownFunction,
} from "../functions/sandbox-functions.ts";
import { asksForApproval } from "./asking-agents.ts";

type Reader = Pick<Process, "database">;

/** The version of an agent that is launched, while the agent is active. Throws `agent_not_found`. */
export async function requireAgentVersion(
  { database: { db } }: Reader,
  workspaceId: number,
  { agentId: sid, agentVersion: version }: Pick<AgentLaunch, "agentId" | "agentVersion">,
): Promise<BriefAgent> {
  const current = (await findActiveAgents(db, workspaceId, [sid])).get(sid);
  if (current === undefined) throw noSuchAgent();
  if (version === null || version === current.version) return current;
  const [row] = await db
    .select(briefColumns())
    .from(agents)
    .where(
      and(eq(agents.workspaceId, workspaceId), eq(agents.sid, sid), eq(agents.version, version)),
    );
  if (row !== undefined) return row;
  throw new ParleyError("agent_not_found", "agentVersion: the agent has no such version");
}

/** The same of a function. Throws `sandbox_function_not_found`. */
export async function requireFunctionVersion(
  { database: { db } }: Reader,
  workspaceId: number,
  { functionId, functionVersion }: Pick<FunctionLaunch, "functionId" | "functionVersion">,
): Promise<InvocableFunction> {
  const found = await findSandboxFunction(db, workspaceId, functionId, functionVersion);
  if (found?.status === "active") return found;
  if (functionVersion === null || found !== undefined) throw unknownFunction();
  const message = "functionVersion: the workspace has no such function with this version";
  throw new ParleyError("sandbox_function_not_found", message);
}

const inBody = (path: string, message: string) => invalidRequest("body", [{ path, message }]);

/**
 * Checks what is stored to be started later, for the caller as which it is. Throws what is wrong with it: what does not
 * exist or is not reached, `app_auth_error` for an agent that a builder does not edit, and `invalid_request_error` for one
 * whose calls nobody could approve.
 */
export async function requireLaunch(
  services: Reader,
  caller: WorkspaceCaller,
  launch: Launch,
): Promise<void> {
  const given = launchKinds.filter((kind) => launch[kind] !== undefined);
  if (given.length !== 1) {
    throw inBody(
      "",
      `exactly one of ${launchKinds.join(" and ")} must be there: it is what starts`,
    );
  }
  const { agent } = launch;
  if (agent !== undefined) await requireAgentLaunch(services, caller, agent);
  if (launch.function !== undefined) {
    await requireFunctionVersion(services, caller.workspace.id, launch.function);
  }
}

async function requireAgentLaunch(
  services: Reader,
  caller: WorkspaceCaller,
  launch: Omit<AgentLaunch, "message">,
): Promise<void> {
  const { db } = services.database;
  const workspaceId = caller.workspace.id;
  const { conversationId, email, spaceId, title } = launch;
  const version = await requireAgentVersion(services, workspaceId, launch);
  await requireEditor(db, caller, { agentSids: [launch.agentId], member: "agent.agentId" });
  if (email !== undefined && (await findMember(db, workspaceId, email)) === undefined) {
    throw inBody("agent.email", "the workspace has no member with this e-mail address");
  }
  if (conversationId !== null && (spaceId ?? title) !== undefined) {
    const member = spaceId === undefined ? "title" : "spaceId";
    throw inBody(`agent.${member}`, "is only for new conversations, but conversationId names one");
  }
  const inSpace =
    conversationId === null
      ? spaceId === undefined
        ? null
        : (await requireSpace(db, caller, { workspaceId, sid: spaceId })).id
      : await findSpaceOf(db, caller, conversationId);
  if (email !== undefined) return;
  const asking = await asksForApproval(services, { agent: version, spaceId: inSpace });
  if (asking === undefined) return;
  throw inBody(
    "agent.email",
    `must name the member who is asked: ${asking} of the agent waits for somebody's permission`,
  );
}

/** The number of the space of a reached conversation; null outside spaces. Throws `conversation_not_found`. */
async function findSpaceOf(
  db: Queryable,
  caller: WorkspaceCaller,
  sid: string,
): Promise<number | null> {
  const [row] = await db
    .select({ spaceId: conversations.spaceId })
    .from(conversations)
    .where(and(eq(conversations.sid, sid), reachesConversation({ caller })));
  if (row !== undefined) return row.spaceId;
  throw new ParleyError("conversation_not_found", "conversationId: no such conversation");
}
