import { createParley } from "parley-client";
import { expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// The oldest messages of a conversation are summarised before the context of its model is full.

const server = shareServer();
const calls = createCalls(server);

test("a summary is an event for those who ask for it, is listed, undone and taken back", async () => {
  const { workspaceId: wId, adminKey: apiKey } = server().demo;
  const parley = createParley({ baseUrl: server().url, workspaceId: wId, apiKey });
  const { agentConfiguration } = await calls.rpc().agents.create.mutate({
    wId,
    name: "Clerk",
    description: "d",
    model: { providerId: "simulated", modelId: "simulated-1" },
    compaction: { enabled: true, startsAtPercent: 10, keepsMessages: 2 },
    script: { steps: [{ text: "Noted" }], tokenDelayMs: 0 },
  });
  const mentions = [{ configurationId: agentConfiguration.sId }];
  const say = (content: string) => ({ content, mentions });
  const long = (topic: string) => `${topic} ${"word ".repeat(2400)}`;
  const { conversation } = await parley.conversations.create({
    message: say(long("Order AB-1234")),
    blocking: true,
  });
  const { sId: cId } = conversation;
  for (const topic of ["first", "second", "third", "fourth"]) {
    // oxlint-disable-next-line no-await-in-loop
    await parley.messages.create({ conversationId: cId, ...say(long(topic)), blocking: true });
  }
  const about = { conversationId: cId };
  const leaving = AbortSignal.timeout(20_000);
  const followed = parley.conversations.follow(
    { ...about, include: ["compaction"] },
    { signal: leaving },
  );
  const types: string[] = [];
  for await (const event of followed) {
    types.push(event.type);
    if (event.type === "conversation_compacted") break;
  }
  expect(types.at(-1)).toBe("conversation_compacted");
  const { summaries } = await parley.summaries.list(about);
  expect(summaries).toMatchObject([{ number: 1, status: "active" }]);
  expect(summaries[0]?.text).toContain("Order");

  // Without the name its number is skipped, and later events come.
  const { message } = await parley.messages.create({ ...about, ...say("Bye"), blocking: true });
  const plain: string[] = [];
  for await (const event of parley.conversations.follow(about, { signal: leaving })) {
    plain.push(event.type);
    if (event.type === "user_message_new" && event.messageId === message.sId) break;
  }
  expect(plain).not.toContain("conversation_compacted");

  const undone = await parley.summaries.update({ ...about, number: 1, active: false });
  expect(undone).toMatchObject({ status: "undone" });
  const again = await parley.summaries.update({ ...about, number: 1, active: true });
  expect(again).toMatchObject({ status: "active" });
});
