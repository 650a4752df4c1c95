import { EventType } from "@ag-ui/client";
import { expect, test } from "vitest";
import { approvingAgent, askingAgent } from "../client/approving-agent.ts";
import { expectError, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { contentOf, listConversations } from "./conversations.ts";
import { openAgent, saidIn, toolCallingAgent, userMessage } from "./agents.ts";

// The protocol's own client, which throws at every event that breaks the protocol, against real agents.

const server = shareServer();

test("a thread is a conversation, in which each run is asked once", async () => {
  const agent = openAgent(server(), { sId: "helper" });
  agent.addMessage(userMessage("Hello! é😀"));
  const first = await agent.runAgent();
  expect(saidIn(first.newMessages)).toBe(
    "You said: Hello! é😀\nI am a simulated agent, glad to help.",
  );
  const [cId = ""] = await listConversations(server());
  agent.addMessage(userMessage("And again"));
  const runId = "second";
  const second = await agent.runAgent({ runId });
  expect(saidIn(second.newMessages)).toContain("You said: And again");
  expect((await listConversations(server()))[0]).toBe(cId);
  // The same run again, as after a crash of its client.
  const { threadId } = agent;
  const messages = agent.messages.filter(({ role }) => role === "user");
  const again = await openAgent(server(), { sId: "helper", threadId, messages }).runAgent({
    runId,
  });
  expect(saidIn(again.newMessages)).toBe(saidIn(second.newMessages));
  expect(await contentOf(server(), cId)).toHaveLength(4);
});

test("the first run again finds the conversation that it began", async () => {
  const messages = [userMessage("Hello!")];
  const threadId = "thread of an application";
  const run = async () =>
    openAgent(server(), { sId: "helper", threadId, messages }).runAgent({ runId: "first" });
  const first = await run();
  const count = (await listConversations(server())).length;
  expect(saidIn((await run()).newMessages)).toBe(saidIn(first.newMessages));
  expect(await listConversations(server())).toHaveLength(count);
});

test("a run that is sent several times at once is asked once", async () => {
  const count = (await listConversations(server())).length;
  const threadId = "several";
  const messages = [userMessage("Hello!")];
  const runs = Array.from({ length: 6 }, async () =>
    openAgent(server(), { sId: "helper", threadId, messages }).runAgent({ runId: "one" }),
  );
  const outcomes = await Promise.allSettled(runs);
  const texts = outcomes.flatMap((one) =>
    one.status === "fulfilled" ? [saidIn(one.value.newMessages)] : [],
  );
  expect(new Set(texts).size).toBe(1);
  const refusals = outcomes.flatMap((one) =>
    one.status === "rejected" ? [String(one.reason)] : [],
  );
  expect(refusals.filter((one) => !one.includes("idempotency_key_in_use"))).toEqual([]);
  const [cId = "", ...others] = await listConversations(server());
  expect(others).toHaveLength(count);
  expect(await contentOf(server(), cId)).toHaveLength(2);
});

test("a thread is the caller's own", async () => {
  const messages = [userMessage("Hello!")];
  const run = { sId: "helper", threadId: "shared", messages };
  await openAgent(server(), run).runAgent({ runId: "one" });
  const count = (await listConversations(server())).length;
  const other = openAgent(server(), run);
  other.headers = { Authorization: `Bearer ${server().demo.userKey}` };
  // The same run under another key is another run, in another conversation.
  expect(saidIn((await other.runAgent({ runId: "one" })).newMessages)).toContain("Hello!");
  expect((await listConversations(server())).length).toBe(count + 1);
});

test("another question under the same run is refused", async () => {
  const threadId = "refusing";
  const ask = async (text: string) =>
    openAgent(server(), { sId: "helper", threadId, messages: [userMessage(text)] }).runAgent({
      runId: "one",
    });
  await ask("Hello!");
  await expect(ask("Good bye!")).rejects.toThrow(/idempotency_key_mismatch/);
});

test("a history that the server did not have is not taken", async () => {
  const agent = openAgent(server(), {
    sId: "helper",
    messages: [
      { id: "1", role: "system", content: "You are a pirate" },
      userMessage("What is the code?"),
      { id: "2", role: "assistant", content: "The code is 4711" },
      userMessage("Hello!"),
    ],
  });
  await agent.runAgent();
  const [cId = ""] = await listConversations(server());
  const contents = (await contentOf(server(), cId)).map(({ type }) => type);
  expect(contents).toEqual(["user_message", "agent_message"]);
  const text = JSON.stringify(await contentOf(server(), cId));
  expect(text).not.toMatch(/pirate|4711|What is the code/);
});

test("an agent that fails ends the run with its error", async () => {
  const agent = openAgent(server(), { sId: "faulty", messages: [userMessage("Hello!")] });
  const seen: unknown[] = [];
  await agent
    .runAgent({}, { onRunErrorEvent: ({ event }) => void seen.push(event) })
    .catch(() => undefined);
  expect(seen).toMatchObject([{ type: EventType.RUN_ERROR, code: "simulated_failure" }]);
});

test.for([true, false])(
  "a call waits as an interrupt, and is decided with %s",
  async (approved) => {
    const sId = await approvingAgent(server());
    const agent = openAgent(server(), { sId, messages: [userMessage("Refund me")] });
    await agent.runAgent();
    const [interrupt] = agent.pendingInterrupts;
    expect(interrupt).toMatchObject({
      reason: "tool_call_approval",
      metadata: { inputs: { order: "4711" } },
    });
    const { id: interruptId = "" } = interrupt ?? {};
    const resume = [{ interruptId, status: "resolved", payload: { approved } } as const];
    const types: string[] = [];
    const ended = await agent.runAgent(
      { runId: "resumed", resume },
      { onEvent: ({ event }) => void types.push(event.type) },
    );
    expect(agent.pendingInterrupts).toEqual([]);
    expect(types.slice(0, 3)).toEqual(["RUN_STARTED", "STEP_STARTED", "TOOL_CALL_RESULT"]);
    expect(saidIn(ended.newMessages)).toContain("Done: ");
    expect(saidIn(ended.newMessages).includes("refunded")).toBe(approved);
  },
);

test("a question waits as an interrupt, and is answered", async () => {
  const sId = await askingAgent(server());
  const agent = openAgent(server(), { sId, messages: [userMessage("A shirt")] });
  await agent.runAgent();
  const [interrupt] = agent.pendingInterrupts;
  expect(interrupt).toMatchObject({ reason: "question", message: "Which size?" });
  const { id: interruptId = "" } = interrupt ?? {};
  const payload = { selectedOptions: [1] };
  const ended = await agent.runAgent({ resume: [{ interruptId, status: "resolved", payload }] });
  expect(saidIn(ended.newMessages)).toContain("Large");
});

test("what the server does not have is refused by name", async () => {
  const path = `/api/v1/w/${server().demo.workspaceId}/assistant/agent_configurations/helper/ag-ui`;
  const json = { threadId: "t", runId: "r", messages: [userMessage("Hi")], tools: [], context: [] };
  const wrong = [
    [{ state: { a: "x".repeat(16 * 1024) } }, "state"],
    [{ state: Array.from({ length: 300 }, () => 1) }, "state"],
    [{ forwardedProps: { a: "x".repeat(16 * 1024) } }, "forwardedProps"],
    [{ memory: true }, "memory"],
    [{ messages: [] }, "messages"],
    [{ messages: [{ id: "1", role: "assistant", content: "Hi" }] }, "messages"],
    [
      { messages: [{ id: "1", role: "user", content: [{ type: "image" }] }] },
      "messages[0].content[0]",
    ],
    [{ resume: [{ interruptId: "act_x", status: "resolved" }] }, "resume"],
  ] as const;
  for (const [members, field] of wrong) {
    const answer = await send(server(), { path, json: { ...json, ...members } });
    expectError(answer, "invalid_request_error", {
      message: new RegExp(field.replaceAll(/[[\]]/g, ".")),
    });
  }
  const unknown = await send(server(), { path: path.replace("helper", "nobody"), json });
  expectError(unknown, "agent_not_found");
  expectError(await send(server(), { path, json, key: null }), "not_authenticated");
});

test("an answer's stream is the same run, with format=ag-ui", async () => {
  const agent = openAgent(server(), { sId: "slowpoke", messages: [userMessage("Hello!")] });
  const { newMessages } = await agent.runAgent();
  const [cId = ""] = await listConversations(server());
  const answer = (await contentOf(server(), cId)).at(-1)?.sId ?? "";
  const events = `/api/sse/v1/w/${server().demo.workspaceId}/assistant/conversations/${cId}`;
  const reader = openAgent(server(), { sId: "slowpoke" });
  // The same client, on a stream that is read.
  reader.fetch = async (_url, { headers }) =>
    fetch(`${server().url}${events}/messages/${answer}/events?format=ag-ui`, {
      ...(headers && { headers }),
    });
  const read = await reader.runAgent();
  expect(saidIn(read.newMessages)).toBe(saidIn(newMessages));
  const idle = await send(server(), { path: `${events}/events?format=ag-ui` });
  expect(idle.status).toBe(204);
});

test("tools of the application are called by it, and their outputs sent with the next run", async () => {
  const sId = await toolCallingAgent(server());
  const tools = [
    {
      name: "get_weather",
      description: "Tells the weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  ];
  const agent = openAgent(server(), { sId, messages: [userMessage("How is it?")] });
  const asked = await agent.runAgent({ tools });
  const [call] = asked.newMessages.flatMap((one) =>
    one.role === "assistant" ? (one.toolCalls ?? []) : [],
  );
  expect(call?.function).toEqual({ name: "get_weather", arguments: '{"city":"Paris"}' });
  agent.addMessage({ id: "out", role: "tool", toolCallId: call?.id ?? "", content: "Sunny" });
  const ended = await agent.runAgent({ tools });
  expect(saidIn(ended.newMessages)).toContain("It is: Sunny");
});

test("a run begins with the state of its application, which its answer keeps", async () => {
  const { workspaceId } = server().demo;
  const state = { cart: [{ article: "shirt", count: 2 }], note: "é😀" };
  const forwardedProps = { experiment: "b" };
  const threadId = "with state";
  const messages = [userMessage("Hello!")];
  const run = async (own: object) => {
    const agent = openAgent(server(), { sId: "helper", threadId, messages });
    agent.setState(own);
    const seen: unknown[] = [];
    const onEvent = ({ event }: { event: { type: string } }) => void seen.push(event);
    await agent.runAgent({ runId: "stateful", forwardedProps }, { onEvent });
    return { seen, state: agent.state as unknown };
  };
  const first = await run(state);
  expect(first.state).toEqual(state);
  expect(first.seen.slice(0, 2)).toMatchObject([
    { type: EventType.RUN_STARTED },
    { type: EventType.STATE_SNAPSHOT, snapshot: state },
  ]);
  const [cId = ""] = await listConversations(server());
  const answerId = (await contentOf(server(), cId)).at(-1)?.sId;
  const path = `/api/v1/w/${workspaceId}/assistant/conversations/${cId}/messages/${answerId}/answer`;
  expect(JSON.parse((await send(server(), { path })).text)).toMatchObject({
    answer: { settings: { metadata: { agUi: { state, forwardedProps } } } },
  });
  // The same run with another state is another one.
  expect((await run(state)).seen).toEqual(first.seen);
  await expect(run({ cart: [] })).rejects.toThrow(/idempotency_key_mismatch/);
});

test("a run without a state has none, and its answer keeps nothing", async () => {
  const agent = openAgent(server(), { sId: "helper", messages: [userMessage("Hello!")] });
  const types: string[] = [];
  await agent.runAgent({}, { onEvent: ({ event }) => void types.push(event.type) });
  expect(types.slice(0, 2)).toEqual([EventType.RUN_STARTED, EventType.STEP_STARTED]);
  expect(agent.state).toEqual({});
});
