import { expect, test } from "vitest";
import { approvingAgent } from "../client/approving-agent.ts";
import { shareServer } from "../server.ts";
import { teamAgent } from "../teams/team-agents.ts";
import { createListener, type Events } from "./listen.ts";

// Webhooks and the tasks that agents give to others.

const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
const { calls, listen, ask } = createListener(server);
const events: Events = [
  "conversation.created",
  "message.succeeded",
  "approval.requested",
  "approval.decided",
];

test("are told of tasks if they ask for it, and of what these wait for in any case", async () => {
  const apart = await listen(events);
  const included = await listen(events, { includesTasks: true });
  const agentId = await teamAgent(server(), [await approvingAgent(server())]);
  const { conversation } = await calls.create("Refund me", [agentId]);
  const cId = conversation.sId;
  const mId = conversation.content.flat().at(-1)!.sId;
  const { wId } = { wId: server().demo.workspaceId };
  const listed = async () =>
    (await calls.rpc().conversations.listBlockedActions.query({ wId, cId })).blockedActions;
  await expect.poll(async () => (await listed()).length).toBe(1);
  const [waiting] = await listed();
  const { conversationId: taskId, messageId: taskMessage, actionId, configurationId } = waiting!;
  const named = { wId, cId: taskId, mId: taskMessage, actionId };
  await calls.rpc().messages.validateAction.mutate({ ...named, approved: "approved" });
  const ofTask = { conversationId: taskId, messageId: taskMessage };
  const ofRoot = { conversationId: cId, messageId: mId };
  const decided = { ...ofTask, actionId, agentId: configurationId };
  const shown = async (one: typeof apart, count: number) =>
    (await one.tried(count)).map(({ event, data }) => ({ event, subject: data }));
  const waits = [
    { event: "approval.requested", subject: decided },
    { event: "approval.decided", subject: { ...decided, decision: "approved" } },
  ];
  const all = [
    { event: "conversation.created", subject: { conversationId: cId } },
    { event: "message.succeeded", subject: { ...ofRoot, agentId } },
    ...waits,
  ];
  const alone = await shown(apart, all.length);
  expect(alone).toHaveLength(all.length);
  expect(alone).toEqual(expect.arrayContaining(all));
  const both = [
    ...all,
    { event: "conversation.created", subject: { conversationId: taskId } },
    { event: "message.succeeded", subject: { ...ofTask, agentId: configurationId } },
  ];
  const together = await shown(included, both.length);
  expect(together).toHaveLength(both.length);
  expect(together).toEqual(expect.arrayContaining(both));
});

test("with a filter of conversations, tasks are those of the conversation that they come from", async () => {
  const agentId = await teamAgent(server(), ["helper"]);
  const first = await ask({}, agentId);
  const { deliveries, tried } = await listen(["message.succeeded"], {
    conversationIds: [first],
    includesTasks: true,
  });
  await ask({}, agentId);
  await calls.post(first, { content: "Again", mentions: [{ configurationId: agentId }] });
  const told = await tried(2);
  expect(told.map(({ data }) => String(data["agentId"])).toSorted()).toEqual(
    [agentId, "helper"].toSorted(),
  );
  expect(await deliveries()).toHaveLength(2);
});
