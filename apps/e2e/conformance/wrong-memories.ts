import type { Doable } from "../administration/doable.ts";
import type { createCalls } from "../siblings/calls.ts";

/** Changes of memories that come too late, or that there is no room for. */
export function wrongMemories(
  { operator, rpc }: Pick<ReturnType<typeof createCalls>, "operator" | "rpc">,
  {
    call,
    mutations,
  }: {
    readonly call: (name: string, input: object, key?: string) => Promise<string>;
    readonly mutations: Readonly<Record<string, () => Promise<Doable>>>;
  },
): Record<string, () => Promise<string>> {
  return {
    "memories.run budget_exceeded": async () => {
      const { workspace, adminKey } = await operator().workspaces.create.mutate({ name: "Full" });
      const wId = workspace.sId;
      const limits = { measure: "stored_bytes", limit: "1", period: "all" } as const;
      await operator().budgets.create.mutate({ wId, name: "x", scope: "workspace", ...limits });
      const file = { path: "/memories/user/x.md", file_text: "More than there is room for" };
      return call("memories.run", { wId, command: "create", ...file }, adminKey);
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
