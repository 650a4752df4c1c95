import type { Doable } from "../administration/doable.ts";
import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";

const clerk = {
  name: "Clerk",
  description: "",
  model: { providerId: "simulated", modelId: "simulated-1" },
};

/** Changes of memories that come too late, or that there is no room for. */
export function wrongMemories(
  { operator, rpc }: Pick<ReturnType<typeof createCalls>, "operator" | "rpc">,
  {
    server,
    call,
    mutations,
  }: {
    readonly server: () => Pick<Server, "demo">;
    readonly call: (name: string, input: object, key?: string) => Promise<string>;
    readonly mutations: Readonly<Record<string, () => Promise<Doable>>>;
  },
): Record<string, () => Promise<string>> {
  const openWorkspace = async () => {
    const { workspace, adminKey } = await operator().workspaces.create.mutate({ name: "Full" });
    const wId = workspace.sId;
    const limits = { measure: "stored_bytes", limit: "1", period: "all" } as const;
    const fill = () =>
      operator().budgets.create.mutate({ wId, name: "x", scope: "workspace", ...limits });
    return { wId, adminKey, fill };
  };
  return {
    "memories.run budget_exceeded": async () => {
      const { wId, adminKey, fill } = await openWorkspace();
      await fill();
      const file = { path: "/memories/user/x.md", file_text: "More than there is room for" };
      return call("memories.run", { wId, command: "create", ...file }, adminKey);
    },
    "memories.update budget_exceeded": async () => {
      const { wId, adminKey, fill } = await openWorkspace();
      const { agentConfiguration } = await operator().agents.create.mutate({ wId, ...clerk });
      const file = {
        path: "/memories/agent/x.md",
        file_text: "x",
        agentId: agentConfiguration.sId,
      };
      await operator().memories.run.mutate({ wId, command: "create", ...file });
      const [memory] = (await operator().memories.list.query({ wId })).memories;
      await fill();
      const longer = { memoryId: memory?.sId, version: 0, content: "Longer" };
      return call("memories.update", { wId, ...longer }, adminKey);
    },
    "memories.erase member_not_found": async () => {
      return call("memories.erase", { wId: server().demo.workspaceId, userId: "nobody" });
    },
    "memories.erase space_not_found": async () => {
      return call("memories.erase", { wId: server().demo.workspaceId, spaceId: "nobody" });
    },
    "memories.approve version_conflict": async () => {
      const { input } = await mutations["memories.approve"]!();
      const { wId, proposalId } = input as { wId: string; proposalId: string };
      const { proposals } = await rpc().memories.listProposals.query({ wId, limit: 100 });
      const { path, agentId } = proposals.find(({ sId }) => sId === proposalId)!;
      const file = { command: "create" as const, path, file_text: "First" };
      await rpc().memories.run.mutate({ wId, agentId, ...file });
      return call("memories.approve", input);
    },
  };
}
