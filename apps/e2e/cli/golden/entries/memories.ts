import type { Entry, Prepared } from "../entry.ts";
import type { World } from "../world.ts";

const path = "/memories/agent/tea.md";

const agent = {
  name: "Clerk",
  description: "",
  model: { providerId: "simulated", modelId: "simulated-1" },
};

async function withAgent({ rpc, wId }: World): Promise<Prepared> {
  const { agentConfiguration } = await rpc.agents.create.mutate({ wId, ...agent });
  return { agentId: agentConfiguration.sId };
}

async function withMemory(world: World): Promise<void> {
  const { agentId = "" } = await withAgent(world);
  const file = { command: "create" as const, path, file_text: "Likes green tea" };
  await world.rpc.memories.run.mutate({ wId: world.wId, agentId, ...file });
}

/** A change that waits: its agent has read the result of a tool. */
async function withProposal({ rpc, wId }: World): Promise<Prepared> {
  const write = { command: "create", path, file_text: "Likes green tea" };
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    ...agent,
    memory: { agent: "write" },
    script: {
      steps: [
        { toolCalls: [{ name: "look", params: {}, output: "Tea is green" }] },
        { toolCalls: [{ name: "memory", params: write }] },
        { text: "Done" },
      ],
    },
  });
  const mentions = [{ configurationId: agentConfiguration.sId }];
  await rpc.conversations.create.mutate({
    wId,
    message: { content: "Look", mentions },
    blocking: true,
  });
  return {};
}

/** Commands about what agents remember. */
export const memoryEntries: readonly Entry[] = [
  { command: "memories list", prepare: withMemory },
  { command: "memories get", prepare: withMemory, args: [path] },
  {
    command: "memories create",
    prepare: withAgent,
    args: [path, "--content", "Likes tea", "--agent-id", "Clerk"],
  },
  { command: "memories update", prepare: withMemory, args: [path, "--content", "Likes coffee"] },
  { command: "memories remove", prepare: withMemory, args: [path], confirmed: path },
  {
    command: "memories erase",
    prepare: withMemory,
    args: ["--agent-id", "Clerk"],
    confirmed: "Clerk",
  },
  { command: "memories pending", prepare: withProposal },
  { command: "memories approve", prepare: withProposal, args: [path] },
  { command: "memories reject", prepare: withProposal, args: [path] },
];
