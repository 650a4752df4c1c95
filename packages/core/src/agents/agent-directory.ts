import type { Process } from "../context.ts";
import { createReadThroughCache } from "../data-access/read-through-cache.ts";
import { type BriefAgent, findActiveAgents } from "./agents.ts";

/** Finds the agents that mentions resolve to. */
export interface AgentDirectory {
  /**
   * The workspace's active agents with these ids, in their order, as they were a few seconds ago at
   * most.
   */
  find(workspaceId: number, sids: readonly string[]): Promise<Map<string, BriefAgent>>;
  close(): void;
}

/** What resolves mentions. */
export interface MentionServices {
  readonly agents: AgentDirectory;
}

/** Makes the directory of a process; a change of an agent in this process is in force at once. */
export function createAgentDirectory(core: Process): AgentDirectory {
  const cache = createReadThroughCache(core.now, {
    subscribe: (onChange) => core.bus.subscribe("agents", onChange),
    load: async (key) => {
      const [workspaceId = "", sid = ""] = key.split(/ (.*)/s);
      const found = await findActiveAgents(core.database.db, Number(workspaceId), [sid]);
      return found.get(sid);
    },
    isAffected: (workspaceId, key) => key.startsWith(`${workspaceId} `),
  });
  return {
    find: async (workspaceId, sids) => {
      const found = new Map<string, BriefAgent>();
      const agents = await Promise.all(sids.map((sid) => cache.get(`${workspaceId} ${sid}`)));
      for (const agent of agents) if (agent !== undefined) found.set(agent.sid, agent);
      return found;
    },
    close: cache.close,
  };
}
