import type { Doable } from "../administration/doable.ts";
import type { createCalls } from "../siblings/calls.ts";

/** Changes of memories that come too late. */
export function wrongMemories(
  { rpc }: Pick<ReturnType<typeof createCalls>, "rpc">,
  {
    call,
    mutations,
  }: {
    readonly call: (name: string, input: object) => Promise<string>;
    readonly mutations: Readonly<Record<string, () => Promise<Doable>>>;
  },
): Record<string, () => Promise<string>> {
  return {
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
