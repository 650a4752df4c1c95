import { startFakeService } from "@parley/agent/testing";
import { createRpcClient } from "parley-client";
import { expect, onTestFinished, test } from "vitest";
import { createPlace, startServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// A key that has got into wrong hands spends what its budget allows, and nothing more.

const model = { providerId: "openai_compatible", modelId: "llama" };
const CREATES = 1000;
/** 100 tokens of prompt for ten dollars a million, and 300 written for a hundred. */
const COST = 0.031;

test(
  "a key with a budget stops there, and others notice nothing",
  { timeout: 240_000 },
  async () => {
    const service = await startFakeService();
    service.counts = { input: 100, output: 300, cached: 0, reasoning: 0 };
    onTestFinished(service.close);
    await using place = await createPlace();
    await using server = await startServer(place, {
      PARLEY_OPENAI_COMPATIBLE_URL: `${service.url}/v1`,
      PARLEY_RATE_CREATE_PER_MINUTE: "0",
      PARLEY_RATE_CREATE_PER_HOUR: "0",
      PARLEY_WORKSPACE_WAITING_RUNS: "0",
    });
    const calls = createCalls(() => server);
    const rpc = calls.rpc();
    const { workspaceId: wId } = server.demo;
    await rpc.workspaces.update.mutate({ wId, enableModels: [model] });
    await rpc.prices.set.mutate({ wId, ...model, input: "10", output: "100" });
    const draft = { wId, name: "Ann", description: "", instructions: "Be kind.", model };
    const { agentConfiguration } = await rpc.agents.create.mutate(draft);
    const { secret: key, apiKey } = await rpc.apiKeys.create.mutate({
      wId,
      name: "leaked",
      role: "user",
    });
    const ofKey = { scope: "api_key", subjectId: apiKey.sId, period: "day" } as const;
    await rpc.budgets.create.mutate({ wId, name: "leaked", limit: "1", ...ofKey });

    const other = await calls.operator().workspaces.create.mutate({ name: "Bystanders" });
    const bystander = createRpcClient({ url: server.url, apiKey: other.adminKey });
    const ofOther = {
      wId: other.workspace.sId,
      message: { content: "Hi", mentions: mentionOf("helper") },
    };
    const watch = new AbortController();
    const bystanding = (async () => {
      const times: number[] = [];
      while (!watch.signal.aborted) {
        const startedAt = performance.now();
        // One after the other, as a person would.
        // oxlint-disable-next-line no-await-in-loop
        await bystander.conversations.create.mutate({ ...ofOther, blocking: true });
        times.push(performance.now() - startedAt);
      }
      return times;
    })();

    const message = { content: "Hi", mentions: mentionOf(agentConfiguration.sId) };
    const answers = await Promise.all(
      Array.from({ length: CREATES }, async () =>
        calls.call("POST", "", { key, json: { message, blocking: true } }),
      ),
    );
    watch.abort();
    const times = await bystanding;
    expect(Math.max(...times)).toBeLessThan(10_000);

    const refused = answers.filter(({ status }) => status === 429);
    for (const { text, headers } of refused) {
      const { error } = JSON.parse(text) as { error: { type: string; message: string } };
      expect(error.type).toBe("budget_exceeded");
      expect(error.message).toMatch(
        /^The budget of the key is used up until 2\d{3}-\S+T00:00:00.000Z/,
      );
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const statuses = answers.flatMap(
      ({ text }) => /"status":"(succeeded|failed)"/.exec(text)?.[1] ?? [],
    );
    const bill = service.requests.length * COST;
    expect(bill).toBeLessThanOrEqual(1);
    // What is left is less than the least that a call may cost.
    expect(bill).toBeGreaterThan(0.95);
    expect(statuses.filter((status) => status === "succeeded")).toHaveLength(
      service.requests.length,
    );
    expect(refused.length + statuses.length).toBe(CREATES);
    const { budgets } = await rpc.budgets.list.query({ wId });
    expect(budgets[0]?.spending).toMatchObject({ subjectId: apiKey.sId, reserved: "0" });
    expect(Number(budgets[0]?.spending?.spent)).toBeCloseTo(bill, 6);
    const late = await calls.call("POST", "", { key, json: { message } });
    expect(late.status).toBe(429);
    // The workspace's other keys go on.
    const { status } = await calls.call("POST", "", { json: { message, blocking: true } });
    expect(status).toBe(200);
  },
);
