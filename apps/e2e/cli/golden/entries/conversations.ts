import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../server.ts";
import type { Entry, Prepared } from "../entry.ts";
import type { World } from "../world.ts";

async function answered(world: World): Promise<Prepared> {
  const agent = await world.createAgent("Clerk");
  const { conversation } = await world.parley.conversations.create({
    blocking: true,
    message: { content: "Hello", mentions: [{ configurationId: agent }] },
  });
  const answer = conversation.content.at(-1)?.at(-1)?.sId ?? "";
  return { conversation: conversation.sId, answer };
}

/** The same, once its messages can be found. */
async function indexed(world: World): Promise<Prepared> {
  const prepared = await answered(world);
  const { wId } = world;
  for (;;) {
    const { messages } = await world.rpc.search.messages.query({ wId, query: "hello" });
    if (messages.length > 0) return prepared;
    await pause(50);
  }
}

const nameIn = ({ conversation = "" }: Prepared): string[] => [conversation];
const named = { prepare: answered, args: nameIn };

const titled = {
  prepare: async (world: World): Promise<Prepared> => {
    const prepared = await answered(world);
    const { conversation: conversationId = "" } = prepared;
    await world.parley.conversations.update({ conversationId, title: "Refund" });
    return prepared;
  },
  args: nameIn,
};

/** An answer that waits for the output of an application's tool. */
async function calling({ rpc, wId, parley }: World): Promise<Prepared> {
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "Clerk",
    description: "Answers",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: {
      steps: [{ toolCalls: [{ name: "weather", params: {} }] }, { text: "{{result}}" }],
      tokenDelayMs: 0,
    },
  });
  const { conversation } = await parley.conversations.create({
    message: {
      content: "Hello",
      mentions: [{ configurationId: agentConfiguration.sId }],
      functionTools: [{ name: "weather" }],
    },
  });
  const answer = conversation.content.at(-1)?.at(-1)?.sId ?? "";
  const followed = { conversationId: conversation.sId, messageId: answer };
  const include = ["function_calls"] as const;
  for await (const event of parley.messages.follow({ ...followed, include })) {
    if (event.type !== "tool_output_required") continue;
    return { conversation: conversation.sId, answer, call: event.actionId };
  }
  throw new Error("The answer has called nothing");
}

/** A conversation whose first messages are summarised. */
async function summarised({ rpc, wId, parley }: World): Promise<Prepared> {
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "Clerk",
    description: "Answers",
    model: { providerId: "simulated", modelId: "simulated-1" },
    compaction: { enabled: true, startsAtPercent: 10, keepsMessages: 2 },
    script: { steps: [{ text: "Noted" }], tokenDelayMs: 0 },
  });
  const mentions = [{ configurationId: agentConfiguration.sId }];
  const say = (content: string) => ({ content: `${content} ${"word ".repeat(5000)}`, mentions });
  const { conversation } = await parley.conversations.create({
    message: say("Order AB-1234"),
    blocking: true,
  });
  const { sId: conversationId } = conversation;
  await parley.messages.create({ conversationId, ...say("Thanks"), blocking: true });
  const include = ["compaction"] as const;
  for await (const { type } of parley.conversations.follow({ conversationId, include })) {
    if (type === "conversation_compacted") break;
  }
  return { conversation: conversationId, agent: agentConfiguration.sId };
}

/** An answer whose agent has asked another, which has asked a third one. */
async function asked({ rpc, wId, parley, createAgent }: World): Promise<Prepared> {
  const asking = async (name: string, agentId: string) => {
    const toolCalls = [{ name: "ask_next", params: { task: `For ${name}` } }];
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId,
      name,
      description: "Asks",
      model: { providerId: "simulated", modelId: "simulated-1" },
      team: [{ agentId, name: "next" }],
      script: { steps: [{ toolCalls }, { text: "Done" }], tokenDelayMs: 0 },
    });
    return agentConfiguration.sId;
  };
  const top = await asking("Clerk", await asking("Researcher", await createAgent("Reader")));
  const message = { content: "Hello", mentions: [{ configurationId: top }] };
  const { conversation } = await parley.conversations.create({ blocking: true, message });
  return { conversation: conversation.sId };
}

const oneSummary = {
  prepare: summarised,
  args: ({ conversation = "" }: Prepared) => [conversation, "1"],
};

const undone = {
  ...oneSummary,
  prepare: async (world: World): Promise<Prepared> => {
    const prepared = await summarised(world);
    const { conversation: conversationId = "" } = prepared;
    await world.parley.summaries.update({ conversationId, number: 1, active: false });
    return prepared;
  },
};

/** Prepares an agent's call of a function that waits for approval. */
const waiting = async ({ rpc, wId }: World): Promise<Prepared> => {
  await rpc.sandboxFunctions.create.mutate({
    wId,
    slug: "refund",
    description: "Refunds an order",
    program: { type: "simulated", behaviour: { steps: [], result: "orderId" } },
    requiresApproval: true,
  });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "Clerk",
    description: "Answers",
    model: { providerId: "simulated", modelId: "simulated-1" },
    functionIds: ["refund"],
    script: {
      steps: [{ text: "", toolCalls: [{ name: "refund", params: { orderId: "1042" } }] }],
    },
  });
  const message = {
    content: "Refund it",
    mentions: [{ configurationId: agentConfiguration.sId }],
  };
  await rpc.conversations.create.mutate({ wId, message });
  return eventually(async () => {
    const { blockedActions } = await rpc.actions.listBlocked.query({ wId });
    const [call] = blockedActions;
    return call === undefined ? {} : { value: { call: call.actionId } };
  }, 10_000);
};

const callIn = ({ call = "" }: Prepared): readonly string[] => [call];

/** Commands that talk to agents and follow what happens. */
export const conversationEntries: readonly Entry[] = [
  { command: "conversations list", prepare: answered },
  { command: "conversations search", prepare: indexed, args: () => ["hello"] },
  { command: "conversations get", ...named },
  {
    command: "conversations update",
    ...named,
    args: (given) => [...nameIn(given), "--title", "Refund"],
  },
  {
    // The model of the answer is simulated.
    command: "conversations request",
    prepare: answered,
    args: ({ conversation = "", answer = "" }) => [conversation, answer],
    exits: 1,
  },
  {
    command: "conversations output",
    prepare: calling,
    args: ({ conversation = "", answer = "", call = "" }) => [
      conversation,
      answer,
      call,
      "--output",
      "Rain",
    ],
  },
  { command: "conversations tasks", prepare: asked, args: nameIn },
  { command: "conversations remove", ...titled, confirmed: "Refund" },
  { command: "conversations summaries list", prepare: summarised, args: nameIn },
  { command: "conversations summaries get", ...oneSummary },
  {
    command: "conversations summaries create",
    prepare: summarised,
    args: ({ conversation = "", agent = "" }) => [conversation, "--agent", agent],
  },
  { command: "conversations summaries undo", ...oneSummary },
  { command: "conversations summaries redo", ...undone },
  { command: "runs list", prepare: answered },
  {
    command: "runs get",
    prepare: answered,
    args: ({ answer = "" }) => [answer],
    varying: [[/(?<=durationMs: )\d+/g, "N"]],
  },
  {
    command: "runs trace",
    prepare: answered,
    args: ({ answer = "" }) => [answer],
    // An answer that its own process holds waits for nothing.
    varying: [
      [/^· Queued .*\n/gm, ""],
      [/\d[\d.]* m?s\b.*/g, "TIME"],
      [/START +DURATION +TIME/g, "START  DURATION  TIME"],
      [/"(spans)":\[.*\]/g, '"$1":[]'],
      [/"traceId":"\w+"/g, '"traceId":"T"'],
    ],
  },
  { command: "runs cancel", prepare: answered, args: ({ answer = "" }) => [answer] },
  { command: "runs rerun", prepare: answered, args: ({ answer = "" }) => [answer] },
  {
    command: "runs tail",
    prepare: answered,
    args: ["--since", "1h"],
    until: /Clerk/,
    varying: [[/\d+ ms|"(?:durationMs)":\d+/g, "N"]],
  },
  { command: "approvals list", prepare: waiting },
  { command: "approvals get", prepare: waiting, args: callIn },
  { command: "approvals approve", prepare: waiting, args: callIn },
  { command: "approvals reject", prepare: waiting, args: callIn },
  {
    command: "ask",
    prepare: async (world) => void (await world.createAgent("Clerk", "la ".repeat(100))),
    args: ["Hello", "--agent", "Clerk"],
    diesOnce: /la/,
    varying: [[/(?:\bla ?)+/g, "LA"]],
  },
  {
    // In a pipe there is nobody to talk to.
    command: "chat",
    exits: 2,
    prepare: async (world) => void (await world.createAgent("Clerk", "I know it.")),
    args: ["Clerk"],
    asked: [
      ["Ctrl-D leaves[^]*>$", "Hello\r"],
      ["I know it\\.\n[^]*>$", "\u0004"],
    ],
  },
  {
    command: "tail conversation",
    prepare: answered,
    args: ({ conversation = "" }) => [conversation],
    until: /answered \(/,
  },
  {
    command: "tail message",
    prepare: answered,
    args: ({ conversation = "", answer = "" }) => [conversation, answer],
  },
  { command: "tail runs", prepare: answered, until: /succeeded turn/ },
];
