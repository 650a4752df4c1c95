import { type FakeService, startFakeService } from "@parley/agent/testing";
import type { AgentMessage } from "@parley/schema";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { shareServer } from "../server.ts";
import { answersOf, createCalls, type SeenEvent } from "../siblings/calls.ts";

// The whole path of a real model: REST, run, turn, HTTP to the service, log, stream.

const models = {
  openai: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  google_ai_studio: "gemini-2.5-flash",
  openai_compatible: "my/own-model",
};
type ProviderId = keyof typeof models;
// The server that a test stops throws if it has logged this.
const secret = "sk-not-logged";

let service: FakeService;
const settings: Record<string, string> = {
  // However busy the machine is, no turn is taken over that has begun to speak.
  PARLEY_LEASE_MS: "60000",
  PARLEY_TITLE_MODEL: "openai/gpt-5-mini",
  PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS: "4000",
  PARLEY_MODEL_RETRIES: "1",
};
beforeAll(async () => {
  service = await startFakeService();
  const url = `${service.url}/v1`;
  for (const name of ["OPENAI", "ANTHROPIC", "GOOGLE_AI_STUDIO", "OPENAI_COMPATIBLE"]) {
    settings[`PARLEY_${name}_API_KEY`] = secret;
    settings[`PARLEY_${name}_${name === "OPENAI_COMPATIBLE" ? "URL" : "BASE_URL"}`] = url;
  }
});
afterAll(() => service.close());

const server = shareServer(settings);
const calls = createCalls(server);
const agents = new Map<ProviderId, string>();

beforeAll(async () => {
  const { workspaceId } = server().demo;
  const rpc = calls.rpc();
  const pairs = Object.entries(models).map(([providerId, modelId]) => ({ providerId, modelId }));
  const simulated = { providerId: "simulated", modelId: "simulated-1" };
  await rpc.workspaces.update.mutate({ wId: workspaceId, models: [simulated, ...pairs] });
  for (const [slug, result] of [
    ["find-price", "{'price': $length(item)}"],
    ["count-stock", "{'stock': price + 4}"],
  ] as const) {
    const program = { type: "simulated" as const, behaviour: { durationMs: 0, steps: [], result } };
    await rpc.sandboxFunctions.create.mutate({
      wId: workspaceId,
      slug,
      description: slug,
      program,
    });
  }
  for (const model of pairs) {
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId: workspaceId,
      name: model.modelId,
      description: "",
      instructions: "Be kind",
      model: { ...model, temperature: 0.3 },
      functionIds: ["find-price", "count-stock"],
    });
    agents.set(model.providerId as ProviderId, agentConfiguration.sId);
  }
});
beforeEach(() => {
  service.apiKey = secret;
  service.requests.length = 0;
  service.faults.length = 0;
  service.script = { steps: [{ text: "You said: {{message}}" }], tokenDelayMs: 0 };
});

const agentOf = (id: ProviderId) => agents.get(id) ?? "";
/** Creates a conversation, waits for its answers, and reads it. */
const ask = async (content: string, mentioned: string[]) => {
  const { conversation } = await calls.create(content, mentioned, { blocking: true });
  return { conversation: await calls.get(conversation.sId) };
};
const follow = async (cId: string, { sId }: Pick<AgentMessage, "sId">) => {
  const events: SeenEvent[] = [];
  for await (const { data } of readFrames(await calls.stream(`/${cId}/messages/${sId}/events`))) {
    // As the interface describes the stream.
    events.push(data as unknown as SeenEvent);
  }
  return events;
};
const tokensOf = (events: readonly SeenEvent[], classification: string) =>
  events
    .map(({ data }) => (data["classification"] === classification ? String(data["text"]) : ""))
    .join("");

test("agents of four services answer one message side by side, each with two tools in three steps", async () => {
  service.script.steps = [
    {
      reasoning: "What does it cost? ",
      text: "Looking \u{1F600}. ",
      toolCalls: [{ name: "find-price", params: { item: "tea" } }],
    },
    { text: "And how many? ", toolCalls: [{ name: "count-stock", params: { price: 3 } }] },
    { text: "So: {{result}}\u0000!" },
  ];
  const { conversation } = await ask("Tea?", [...agents.values()]);
  const answers = answersOf(conversation);
  expect(answers.map(({ error }) => error)).toEqual([null, null, null, null]);
  for (const answer of answers) {
    const content = 'Looking \u{1F600}. And how many? So: {"stock":7}!';
    expect(answer).toMatchObject({
      status: "succeeded",
      content,
      chainOfThought: "What does it cost? ",
      rawContents: [
        { step: 0, content: "Looking \u{1F600}. " },
        { step: 1, content: "And how many? " },
        { step: 2, content: 'So: {"stock":7}!' },
      ],
      actions: [
        { toolName: "find-price", step: 0, output: [{ type: "text", text: '{"price":3}' }] },
        { toolName: "count-stock", step: 1, output: [{ type: "text", text: '{"stock":7}' }] },
      ],
    });
    const events = await follow(conversation.sId, answer);
    expect(tokensOf(events, "tokens")).toBe(content);
    expect(tokensOf(events, "chain_of_thought")).toBe("What does it cost? ");
    expect(events.at(-1)?.data.type).toBe("agent_message_success");
  }
  expect(service.requests).toHaveLength(12);
  for (const { instructions } of service.requests)
    expect(instructions).toMatch(/^Be kind\n\nYou have/);
});

test("an answer that was cut, and one without text, say so where they are read and streamed", async () => {
  service.faults.push({
    kind: "rewritten",
    rewrite: (frame) => frame.replace('"finish_reason":"stop"', '"finish_reason":"length"'),
  });
  for (const [finishReason, steps] of [
    ["length", [{ text: "Once upon a" }]],
    ["empty", [{ reasoning: "Hm" }]],
    ["stop", [{ text: "The end" }]],
  ] as const) {
    service.script.steps = [...steps];
    const { conversation } = await ask("Tell me", [agentOf("openai_compatible")]);
    const [answer] = answersOf(conversation);
    expect(answer).toMatchObject({ status: "succeeded", finishReason });
    const events = await follow(conversation.sId, answer!);
    expect(events.at(-1)?.data).toMatchObject({ message: { finishReason } });
  }
});

test("a follow-up is shown the answers before it, and a message's own agents are not shown each other's", async () => {
  const both = [agentOf("anthropic"), agentOf("openai_compatible")];
  const { conversation } = await ask("First", both);
  for (const { body } of service.requests) expect(JSON.stringify(body)).not.toContain("You said");
  service.requests.length = 0;
  const mentions = [{ configurationId: both[0] }];
  await calls.post(conversation.sId, { content: "Second", mentions, blocking: true });
  const asked = JSON.stringify(service.requests[0]?.body);
  expect(asked.split("You said: First")).toHaveLength(3);
  expect(service.requests[0]?.message).toBe("Second");
});

test("the oldest messages are left out of what does not fit into the model's context", async () => {
  const long = (word: string) => `${word} `.repeat(2000);
  const { conversation } = await calls.create(long("oldest"), []);
  const contentFragment = { title: "note", content: long("note"), contentType: "text/plain" };
  await calls.call("POST", `/${conversation.sId}/content_fragments`, { json: contentFragment });
  const mentions = [{ configurationId: agentOf("openai_compatible") }];
  await calls.post(conversation.sId, { content: "newest", mentions, blocking: true });
  const asked = JSON.stringify(service.requests[0]?.body);
  expect(asked).toContain("note note");
  expect(asked).not.toContain("oldest oldest");
  expect(service.requests[0]).toMatchObject({ message: "newest" });
});

test("what a service refuses ends the answer with an error, and the create is still answered with 200", async () => {
  const cases = [
    [{ kind: "status", status: 401 }, "provider_auth_error"],
    [{ kind: "status", status: 429, headers: { "retry-after": "600" } }, "provider_rate_limited"],
    [{ kind: "status", status: 400, message: "context_length_exceeded" }, "context_too_long"],
    [{ kind: "cut", afterFrames: 4 }, "provider_unavailable"],
  ] as const;
  for (const [fault, code] of cases) {
    service.faults.push(fault);
    const { conversation } = await ask("Hi there", [agentOf("openai_compatible")]);
    const [answer] = answersOf(conversation);
    expect(answer?.status).toBe("failed");
    const events = await follow(conversation.sId, answer!);
    expect(events.at(-1)?.data).toMatchObject({ type: "agent_error", error: { code } });
    expect(answer?.content).toBe(tokensOf(events, "tokens"));
  }
});

test("a cheap model makes the title of a conversation that was given none", async () => {
  const { workspaceId } = server().demo;
  const { models: before } = await calls.rpc().workspaces.get.query({ wId: workspaceId });
  const cheap = { providerId: "openai", modelId: "gpt-5-mini" };
  await calls.rpc().workspaces.update.mutate({ wId: workspaceId, models: [...before, cheap] });
  service.script.steps = [{ text: '"Your tea.\n"' }];
  const asked = calls.create("What about tea?", [agentOf("anthropic"), agentOf("openai")]);
  const given = calls.create("And this?", [agentOf("anthropic")], { title: "Given" });
  // Nobody sees it.
  await calls.create("Forget it", [agentOf("anthropic")], { temporary: true, blocking: true });
  const { conversation } = await asked;
  expect(conversation.title).toBe("What about tea?");
  for await (const { data } of readFrames(await calls.stream(`/${conversation.sId}/events`))) {
    const event = (data as unknown as SeenEvent).data;
    if (event.type !== "conversation_title") continue;
    expect(event["title"]).toBe("Your tea");
    break;
  }
  expect((await calls.get(conversation.sId)).title).toBe("Your tea");
  expect((await calls.get((await given).conversation.sId)).title).toBe("Given");
  const byModel = service.requests.filter(({ body }) => body["model"] === cheap.modelId);
  expect(byModel).toHaveLength(1);
  await calls.rpc().workspaces.update.mutate({ wId: workspaceId, models: before });
});

test("a call that fails before its first token is made again", async () => {
  service.faults.push({ kind: "status", status: 503 });
  const { conversation } = await ask("Hi", [agentOf("openai")]);
  expect(answersOf(conversation)[0]).toMatchObject({
    status: "succeeded",
    content: "You said: Hi",
  });
  expect(service.requests).toHaveLength(2);
});

test("who cancels an answer ends the call to the service", async () => {
  service.script = { steps: [{ text: "word ".repeat(2000) }], tokenDelayMs: 20 };
  const created = await calls.create("Talk", [agentOf("anthropic")]);
  const conversation = await calls.get(created.conversation.sId);
  const [answer] = answersOf(conversation);
  const stream = await calls.stream(`/${conversation.sId}/messages/${answer?.sId}/events`);
  for await (const { data } of readFrames(stream)) {
    const { type } = (data as unknown as SeenEvent).data;
    if (type === "agent_generation_cancelled") break;
    if (service.open() === 0) continue;
    await calls.call("POST", `/${conversation.sId}/cancel`, {
      json: { messageIds: [answer?.sId] },
    });
  }
  await service.idle();
  expect(service.requests).toHaveLength(1);
});

test("an effort is passed on if the model supports it, and a temperature if it has one", async () => {
  const modelSelection = {
    providerId: "anthropic",
    modelId: models.anthropic,
    reasoningEffort: "high",
  };
  const message = { content: "Hi", mentions: [{ configurationId: agentOf("anthropic") }] };
  await calls.call("POST", "", {
    json: { message: { ...message, modelSelection }, blocking: true },
  });
  await calls.call("POST", "", { json: { message, blocking: true } });
  expect(service.requests[0]?.body).toHaveProperty("thinking");
  expect(service.requests[1]?.body).not.toHaveProperty("thinking");
  expect(service.requests[1]?.body).toMatchObject({ temperature: 0.3, model: models.anthropic });
});

test("a workspace's own credential is used in place of the deployment's, shown to nobody, and can go", async () => {
  const { workspaceId } = server().demo;
  const rpc = calls.rpc().providerCredentials;
  const own = { wId: workspaceId, providerId: "mistral" as const };
  const apiKey = `${secret}-of-the-workspace`;
  service.apiKey = apiKey;
  const refused = await ask("Hi", [agentOf("openai")]);
  expect(answersOf(refused.conversation)[0]?.status).toBe("failed");
  const put = await rpc.put.mutate({ ...own, providerId: "openai", apiKey });
  await rpc.put.mutate({ ...own, apiKey });
  const answered = await ask("Hi", [agentOf("openai")]);
  expect(answersOf(answered.conversation)[0]?.content).toBe("You said: Hi");
  const listed = await rpc.list.query({ wId: workspaceId });
  expect(listed.providerCredentials.map(({ providerId }) => providerId)).toEqual([
    "mistral",
    "openai",
  ]);
  const audited = await calls.rpc().audit.list.query({ wId: workspaceId });
  expect(JSON.stringify([put, listed, audited])).not.toContain(apiKey);
  await rpc.remove.mutate({ ...own, providerId: "openai" });
  const again = await ask("Hi", [agentOf("openai")]);
  expect(answersOf(again.conversation)[0]?.status).toBe("failed");
});
