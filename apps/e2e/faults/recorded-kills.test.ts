import { createHash } from "node:crypto";
import { startFakeService } from "@parley/agent/testing";
import { expect, onTestFinished, test } from "vitest";
import { readFrames } from "../frames.ts";
import { createPlace, eventually, startServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";

// A server is killed while the model of an answer speaks: what the model was sent is there when it is wanted most.

const model = { providerId: "openai_compatible", modelId: "llama" };

test("a kill in the middle of a step leaves its request", { timeout: 120_000 }, async () => {
  const service = await startFakeService({
    script: { steps: [{ text: "word ".repeat(20_000) }], tokenDelayMs: 2 },
  });
  onTestFinished(service.close);
  const settings = {
    PARLEY_LEASE_MS: "500",
    PARLEY_OPENAI_COMPATIBLE_URL: `${service.url}/v1`,
  };
  await using place = await createPlace();
  let server = await startServer(place, settings);
  const calls = createCalls(() => server);
  const { workspaceId: wId } = server.demo;
  await calls.rpc().workspaces.update.mutate({ wId, enableModels: [model] });
  const draft = { wId, name: "Ann", description: "", instructions: "Be kind. ".repeat(50), model };
  const { agentConfiguration } = await calls.rpc().agents.create.mutate(draft);
  const { conversation } = await calls.create("Hi", [agentConfiguration.sId]);
  const cId = conversation.sId;
  const { sId: mId } = answersOf(await calls.get(cId))[0]!;
  const reading = readFrames(await calls.stream(`/${cId}/messages/${mId}/events`));
  await reading.next();
  const read = async () =>
    calls
      .rpc()
      .messages.getRequest.query({ wId, cId, mId, n: 0 })
      .then(({ request }) => ({ value: request }))
      .catch(() => ({}));
  // It is written while the answer is streamed.
  await eventually(read, 10_000);
  expect(answersOf(await calls.get(cId))[0]).toMatchObject({ status: "created" });

  await server.kill();
  await reading.next().catch(() => {});
  server = await startServer(place, settings);
  await eventually(async () => {
    const [answer] = answersOf(await calls.get(cId));
    return answer?.status === "failed" ? { value: true } : {};
  }, 60_000);
  const request = await eventually(read, 10_000);
  const sent = service.requests[0]!.json;
  expect(request).toMatchObject({ messageId: mId, step: 0, attempt: 1, model, body: sent });
  expect(request.sha256).toBe(createHash("sha256").update(sent).digest("hex"));
  expect([request.matches, request.missing]).toEqual([true, []]);
  await server[Symbol.asyncDispose]();
});
