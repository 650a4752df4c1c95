import { randomUUID } from "node:crypto";
import { createRpcClient, type MessageEvent } from "parley-client";
import { expect, test } from "vitest";
import { createClientOf } from "../client/clients.ts";
import { expectError, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { teamAgent } from "./team-agents.ts";

// The events of tasks in the stream of the answer that was asked, also for those that come back again and again.

const server = shareServer();
const clientOf = createClientOf(server);

async function speaker(text: string): Promise<string> {
  const { url, demo } = server();
  const rpc = createRpcClient({ url, apiKey: demo.adminKey });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId: demo.workspaceId,
    name: `Speaker ${randomUUID()}`,
    description: "Says something",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text }], tokenDelayMs: 20 },
  });
  return agentConfiguration.sId;
}

/** A tree of an answer, two tasks, and one task below each. */
async function askTree() {
  const words = Array.from({ length: 12 }, (_, index) => `word${index}`).join(" ");
  const middle = [await teamAgent(server(), [await speaker(words)]), await speaker(words)];
  const { conversation } = await clientOf().conversations.create({
    message: { content: "Go", mentions: [{ configurationId: await teamAgent(server(), middle) }] },
  });
  const answer = conversation.content.flat().find(({ type }) => type === "agent_message");
  return { conversationId: conversation.sId, messageId: answer!.sId };
}

interface Seen {
  readonly id: string;
  readonly event: MessageEvent;
}

/** Follows a tree, and leaves after each `leaveAfter` events to come back where it was. */
async function followTree(
  ids: { readonly conversationId: string; readonly messageId: string },
  leaveAfter = Infinity,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (;;) {
    const lastEventId = seen.at(-1)?.id ?? "0";
    const events = clientOf().messages.follow(
      { ...ids, include: ["children_events"] },
      { lastEventId },
    );
    let count = 0;
    for await (const event of events) {
      seen.push({ id: events.lastEventId, event });
      if (++count >= leaveAfter) break;
    }
    if (seen.at(-1)?.event.type === "agent_message_success") return seen;
  }
}

/** The numbers of the events of each log, in the order in which they came. */
function numbersOf(seen: readonly Seen[]): Map<string, string[]> {
  const numbers = new Map<string, string[]>();
  for (const { id, event } of seen) {
    const [logId, number = ""] =
      event.type === "agent_task_event"
        ? [event.task.messageId, event.eventId]
        : ["root", id.split("~")[0]];
    numbers.set(logId, [...(numbers.get(logId) ?? []), number]);
  }
  return numbers;
}

const textOf = (seen: readonly Seen[]): string =>
  JSON.stringify([...numbersOf(seen)].toSorted(([one], [other]) => one.localeCompare(other)));

test("come in it once and in order, before the end of the call that asked", async () => {
  const ids = await askTree();
  const seen = await followTree(ids);
  const tasks = new Set(
    seen.flatMap(({ event }) => (event.type === "agent_task_event" ? event.task.messageId : [])),
  );
  expect(tasks.size).toBe(3);
  for (const [, numbers] of numbersOf(seen)) {
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => Number(a) - Number(b)));
  }
  // The whole of each task is there, as its own stream has it.
  for (const { event } of seen) {
    if (event.type !== "agent_task_started") continue;
    const { conversationId, messageId } = event.task;
    const own: MessageEvent[] = [];
    for await (const one of clientOf().messages.follow({
      conversationId,
      messageId,
      include: ["children"],
    }))
      own.push(one);
    const here = seen.flatMap(({ event: one }) =>
      one.type === "agent_task_event" && one.task.messageId === messageId ? [one.event] : [],
    );
    expect(here).toEqual(own);
    const started = seen.findIndex((one) => one.event === event);
    const ended = seen.findIndex(
      ({ event: one }) => one.type === "agent_action_success" && one.action.sId === event.actionId,
    );
    const places = seen.flatMap(({ event: one }, place) =>
      one.type === "agent_task_event" && one.task.messageId === messageId ? [place] : [],
    );
    expect(Math.min(...places)).toBeGreaterThan(started);
    expect(Math.max(...places)).toBeLessThan(ended);
    expect(places).toHaveLength(own.length);
  }
});

test.for([1, 2, 7])(
  "come once to a follower that comes back after each %s events",
  async (count) => {
    const ids = await askTree();
    const [interrupted, whole] = await Promise.all([followTree(ids, count), followTree(ids)]);
    expect(textOf(interrupted)).toBe(textOf(whole));
    // As they come to one who asks once it is over.
    expect(textOf(await followTree(ids, count))).toBe(textOf(await followTree(ids)));
  },
);

test("are not in a stream that does not ask for them, and in no other format", async () => {
  const ids = await askTree();
  await followTree(ids);
  const types = new Set<string>();
  for await (const { type } of clientOf().messages.follow({ ...ids, include: ["children"] }))
    types.add(type);
  expect(types.has("agent_task_event")).toBe(false);
  const stream = `${pathsOf(server()).conversations}/${ids.conversationId}/messages/${ids.messageId}/events`;
  const sse = stream.replace("/api/", "/api/sse/");
  const ask = async (query: string) => send(server(), { path: `${sse}?${query}` });
  expectError(await ask("include=children_events&format=ag-ui"), "invalid_request_error", {
    message: /children_events/,
  });
  expectError(await ask("lastEventId=3~abc.4"), "invalid_request_error", {
    message: /lastEventId/,
  });
  expectError(await ask("include=children_events&lastEventId=3~abc"), "invalid_request_error", {
    message: /lastEventId/,
  });
});

test("end with the answer when it is cancelled", async () => {
  const ids = await askTree();
  const types: string[] = [];
  let isCancelled = false;
  for await (const event of clientOf().messages.follow({ ...ids, include: ["children_events"] })) {
    types.push(event.type === "agent_task_event" ? event.event.type : event.type);
    if (event.type !== "agent_task_event" || isCancelled) continue;
    isCancelled = true;
    await clientOf().conversations.cancel({
      conversationId: ids.conversationId,
      messageIds: [ids.messageId],
    });
  }
  expect(types.at(-1)).toBe("agent_generation_cancelled");
});
