import { startFakeService } from "@parley/agent/testing";
import { expect, onTestFinished, test } from "vitest";
import { readFrames } from "../frames.ts";
import { createPlace, eventually, startServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";

// A server is killed while the model of an answer speaks: what the call may have cost counts, and is spent of its budget.

const model = { providerId: "openai_compatible", modelId: "llama" };

test("a kill in the middle of a call leaves its cost", { timeout: 180_000 }, async () => {
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
  await calls.rpc().prices.set.mutate({ wId, ...model, input: "1", output: "10" });
  const draft = { wId, name: "Ann", description: "", instructions: "Be kind.", model };
  const { agentConfiguration } = await calls.rpc().agents.create.mutate(draft);
  const agent = { scope: "agent", subjectId: agentConfiguration.sId } as const;
  const limits = { name: "Ann's", limit: "0.5", period: "day" } as const;
  await calls.rpc().budgets.create.mutate({ wId, ...agent, ...limits });
  const spending = async () => {
    const { budgets } = await calls.rpc().budgets.list.query({ wId });
    return budgets[0]?.spending;
  };
  const { conversation } = await calls.create("Hi", [agentConfiguration.sId]);
  const cId = conversation.sId;
  const { sId: mId } = answersOf(await calls.get(cId))[0]!;
  const reading = readFrames(await calls.stream(`/${cId}/messages/${mId}/events`));
  await reading.next();
  const reserved = await spending();
  expect(reserved).toMatchObject({ spent: "0" });
  // 32,000 tokens for 10 dollars a million, and the prompt.
  expect(Number(reserved!.reserved)).toBeGreaterThan(0.32);

  await server.kill();
  await reading.next().catch(() => {});
  server = await startServer(place, settings);
  await eventually(async () => {
    const [answer] = answersOf(await calls.get(cId));
    return answer?.status === "failed" ? { value: true } : {};
  }, 60_000);
  // Nobody settles the call: a sweep does, once it is clear that nobody will.
  const spent = await eventually(async () => {
    const now = await spending();
    return now?.reserved === "0" ? { value: now.spent } : {};
  }, 90_000);
  expect(spent).toBe(reserved!.reserved);
  const today = new Date().toISOString().slice(0, 10);
  const { totals } = await calls.rpc().usage.get.query({ wId, startDate: today, endDate: today });
  expect(totals).toMatchObject([{ calls: 1, amount: spent, estimatedAmount: spent }]);
  await server[Symbol.asyncDispose]();
});
