import type { ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import type { Listed } from "./kind.ts";

/** The agents of a workspace. */
export async function listAgents({ rpc, wId }: ServerConnection): Promise<Listed[]> {
  const listed = await Array.fromAsync(
    readPages(
      async (place) => rpc.agents.listAll.query({ wId, limit: 100, ...place }),
      (page) => page.agentConfigurations,
    ),
  );
  return listed.map(({ name, sId: id, status, scope: seenBy }) => {
    return { name, id, isArchived: status !== "active", isBuiltIn: seenBy === "global" };
  });
}
