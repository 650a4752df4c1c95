import { type FakeService, startFakeService } from "@parley/agent/testing";
import { expect, onTestFinished, test } from "vitest";
import { readFrames } from "../frames.ts";
import { createPlace, eventually, startServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";

// A server is killed while answers are at each point of a fallback: none mixes two models in a step, and the tokens
// of each stored step count once.

const own = { providerId: "openai_compatible", modelId: "llama" };
const other = { providerId: "openai", modelId: "gpt-5" };
const long = "word ".repeat(20_000);

async function start(text: string): Promise<FakeService> {
  const service = await startFakeService();
  onTestFinished(service.close);
  service.script = { steps: [{ text }, { text: `Then ${text}` }], tokenDelayMs: 0 };
  return service;
}

/** The next request of a service. */
async function requestOf(service: FakeService): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  service.onRequest = resolve;
  await promise;
}

test("a kill at each point of a fallback tears no answer", { timeout: 180_000 }, async () => {
  const [one, two] = await Promise.all([start("one."), start("two.")]);
  const settings = {
    PARLEY_LEASE_MS: "500",
    PARLEY_OPENAI_COMPATIBLE_URL: `${one.url}/v1`,
    PARLEY_OPENAI_BASE_URL: `${two.url}/v1`,
    PARLEY_OPENAI_API_KEY: "sk-of-the-second",
  };
  await using place = await createPlace();
  let server = await startServer(place, settings);
  const calls = createCalls(() => server);
  const { workspaceId: wId } = server.demo;
  await calls.rpc().workspaces.update.mutate({ wId, enableModels: [own, other] });
  const { agentConfiguration } = await calls.rpc().agents.create.mutate({
    wId,
    name: "Ann",
    description: "",
    model: own,
    fallbackModels: [other],
  });
  const ask = async () => {
    const { conversation } = await calls.create("Hi", [agentConfiguration.sId]);
    return conversation.sId;
  };
  const down = { kind: "status", status: 503 } as const;
  const silent = { kind: "silent", afterFrames: 0 } as const;

  // The first model is asked.
  one.faults.push(silent);
  let isAsked = requestOf(one);
  const first = await ask();
  await isAsked;
  // The second one is asked in its place.
  one.faults.push(down, down);
  two.faults.push(silent);
  isAsked = requestOf(two);
  const second = await ask();
  await isAsked;
  // The second one has answered a step, and the first one is asked for the next.
  const called = [{ name: "look", params: {} }];
  two.script = { steps: [{ text: "Two sees. ", toolCalls: called }], tokenDelayMs: 0 };
  one.faults.push(down, down, silent);
  const third = await ask();
  await eventually(async () => (one.faults.length === 0 ? { value: true } : {}), 30_000);
  // The second one is publishing.
  two.script = { steps: [{ text: long }], tokenDelayMs: 2 };
  one.faults.push(down, down);
  const fourth = await ask();
  const { sId: mId } = answersOf(await calls.get(fourth))[0]!;
  const stream = await calls.stream(`/${fourth}/messages/${mId}/events`);
  const reading = readFrames(stream);
  await reading.next();

  await server.kill();
  await reading.next().catch(() => {});
  const asked = two.requests.length;
  server = await startServer(place, settings);
  const endOf = async (cId: string) => {
    const message = await eventually(async () => {
      const [answer] = answersOf(await calls.get(cId));
      return answer === undefined || answer.status === "created" ? {} : { value: answer };
    }, 60_000);
    const taken = await calls.rpc().conversations.getConsumption.query({ wId, cId });
    return { message, taken: taken.messages[0] };
  };
  const started = [await endOf(first), await endOf(second)];
  for (const { message, taken } of started) {
    expect(message).toMatchObject({ status: "succeeded", content: "one." });
    expect(taken).toMatchObject({ ...own, steps: 1, inputTokens: 11, outputTokens: 7 });
    expect(taken).not.toHaveProperty("fallbacks");
  }
  const continued = await endOf(third);
  expect(continued.message).toMatchObject({ content: "Two sees. Then one." });
  expect(continued.taken).toMatchObject({
    ...own,
    steps: 2,
    inputTokens: 22,
    outputTokens: 14,
    fallbacks: [{ ...other, steps: 1 }],
  });
  const events = `/${third}/messages/${continued.message.sId}/events`;
  const typesOf = async (query = "") =>
    (await Array.fromAsync(readFrames(await calls.stream(events + query)))).map(
      ({ data }) => (data as { data: { type: string } }).data.type,
    );
  const told = await typesOf("?include=fallbacks");
  expect(told.filter((type) => type === "agent_message_fallback")).toHaveLength(1);
  expect(await typesOf()).toEqual(told.filter((type) => type !== "agent_message_fallback"));
  const broken = await endOf(fourth);
  expect(broken.message).toMatchObject({ status: "failed", error: { code: "interrupted" } });
  expect(broken.message.content).not.toBe("");
  expect(long.startsWith(broken.message.content)).toBe(true);
  // No takeover asked the second model again.
  expect(two.requests).toHaveLength(asked);
  await server[Symbol.asyncDispose]();
});
