import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

const withAgent = async (world: World): Promise<void> => void (await world.createAgent("Clerk"));

async function withRemoved(world: World): Promise<{ agent: string }> {
  const agent = await world.createAgent("Clerk");
  await world.rpc.agents.archive.mutate({ wId: world.wId, agentId: agent });
  return { agent };
}

async function withVersions(world: World): Promise<void> {
  const agentId = await world.createAgent("Clerk");
  await world.rpc.agents.update.mutate({ wId: world.wId, agentId, description: "Knows more" });
}

async function withFeedback(world: World): Promise<void> {
  const agent = await world.createAgent("Clerk");
  const { conversation } = await world.parley.conversations.create({
    blocking: true,
    message: { content: "Hello", mentions: [{ configurationId: agent }] },
  });
  const messageId = conversation.content.at(-1)?.at(-1)?.sId ?? "";
  const rated = { conversationId: conversation.sId, messageId };
  const feedbackContent = "Right to the point";
  await world.parley.feedbacks.give({ ...rated, thumbDirection: "up", feedbackContent });
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
  { command: "agents versions list", prepare: withVersions, args: ["Clerk"] },
  { command: "agents versions get", prepare: withVersions, args: ["Clerk", "0"] },
  { command: "agents versions diff", prepare: withVersions, args: ["Clerk", "1"] },
  { command: "agents versions restore", prepare: withVersions, args: ["Clerk", "0"] },
  { command: "feedback list", prepare: withFeedback },
  { command: "agents restore", prepare: withRemoved, args: ({ agent = "" }) => [agent] },
];
