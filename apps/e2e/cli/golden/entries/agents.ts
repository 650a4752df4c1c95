import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

const withAgent = async (world: World): Promise<void> => void (await world.createAgent("Clerk"));

async function withRemoved(world: World): Promise<{ agent: string }> {
  const agent = await world.createAgent("Clerk");
  await world.rpc.agents.archive.mutate({ wId: world.wId, agentId: agent });
  return { agent };
}

/** Commands about agents. */
export const agentEntries: readonly Entry[] = [
  { command: "agents list", prepare: withAgent },
  { command: "agents get", prepare: withAgent, args: ["Clerk"] },
  {
    command: "agents create",
    args: ["Clerk", "--description", "Answers", "--model", "simulated/simulated-1"],
  },
  { command: "agents update", prepare: withAgent, args: ["Clerk", "--description", "Knows more"] },
  { command: "agents remove", prepare: withAgent, args: ["Clerk"], confirmed: "Clerk" },
  { command: "agents restore", prepare: withRemoved, args: ({ agent = "" }) => [agent] },
];
