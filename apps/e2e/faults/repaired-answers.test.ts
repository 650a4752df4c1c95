import { startFakeService } from "@parley/agent/testing";
import { expect, onTestFinished, test } from "vitest";
import { readFrames } from "../frames.ts";
import { createPlace, eventually, startServer } from "../server.ts";
import { answersOf, createCalls, type SeenEvent } from "../siblings/calls.ts";

test("a repair that SIGKILL interrupts is made again: no text is torn, and each step counts once", async () => {
  const service = await startFakeService();
  onTestFinished(service.close);
  const good = '{"city": "Oslo"}';
  service.script = { steps: [{ text: "Oslo" }, { text: good }], tokenDelayMs: 0 };
  const settings = {
    PARLEY_LEASE_MS: "500",
    PARLEY_OPENAI_COMPATIBLE_URL: `${service.url}/v1`,
    PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS: "4000",
  };
  await using place = await createPlace();
  const first = await startServer(place, settings);
  let server = first;
  const calls = createCalls(() => server);
  const model = { providerId: "openai_compatible", modelId: "own" };
  const wId = first.demo.workspaceId;
  await calls.rpc().workspaces.update.mutate({ wId, models: [model] });
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const { agentConfiguration } = await calls.rpc().agents.create.mutate({
    wId,
    name: "Atlas",
    description: "",
    model,
    responseFormat: { type: "json_schema", schema },
  });
  // The repair falls silent after half of its text.
  service.onRequest = () => {
    if (service.requests.length === 2) service.faults.push({ kind: "silent", afterFrames: 3 });
  };
  const { conversation } = await calls.create("Which?", [agentConfiguration.sId]);
  await eventually(async () => (service.requests.length === 2 ? { value: true } : {}), 30_000);
  await first.kill();
  await using second = await startServer(place, settings);
  server = second;

  const [begun] = answersOf(await calls.get(conversation.sId));
  const events: SeenEvent[] = [];
  const stream = await calls.stream(`/${conversation.sId}/messages/${begun?.sId}/events`);
  for await (const { data } of readFrames(stream)) events.push(data as unknown as SeenEvent);
  expect(events.map(({ data }) => data["text"] ?? data.type)).toEqual([
    good,
    "agent_message_success",
  ]);
  const [answer] = answersOf(await calls.get(conversation.sId));
  expect(answer).toMatchObject({ content: good, structuredOutput: { city: "Oslo" } });
  expect(service.requests.map(({ step }) => step)).toEqual([0, 1, 1]);
  const consumption = await calls.call("GET", `/${conversation.sId}/consumption`);
  expect(JSON.parse(consumption.text)).toMatchObject({
    total: { steps: 2, inputTokens: 22, outputTokens: 14 },
  });
});
