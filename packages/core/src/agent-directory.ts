import { findActiveAgents } from "./agents.ts";
import type { Core } from "./context.ts";
import type { AgentRow } from "./rows.ts";
import { createTrusted } from "./trusted.ts";

/** Finds the agents that mentions resolve to. */
export interface AgentDirectory {
  /**
   * The workspace's active agents with these ids, in their order, as they were a few seconds ago at
   * most.
   */
  find(workspaceId: number, sids: readonly string[]): Promise<Map<string, AgentRow>>;
  close(): void;
}

/** Makes the directory of a process; a change of an agent in this process is in force at once. */
export function createAgentDirectory(core: Core): AgentDirectory {
  const trusted = createTrusted<AgentRow>(core, "agents", async (key) => {
    const [workspaceId = "", sid = ""] = key.split(/ (.*)/s);
    const found = await findActiveAgents(core.database.db, Number(workspaceId), [sid]);
    return found.get(sid);
  });
  return {
    find: async (workspaceId, sids) => {
      const found = new Map<string, AgentRow>();
      const agents = await Promise.all(sids.map((sid) => trusted.get(`${workspaceId} ${sid}`)));
      for (const agent of agents) if (agent !== undefined) found.set(agent.sid, agent);
      return found;
    },
    close: trusted.close,
  };
}
