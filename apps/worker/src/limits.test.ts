import { type Context, followLog, invokeSandboxFunction } from "@parley/core";
import {
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
  insertTestLimit,
  insertTestWorkspace,
  offerTestFunction,
  openTestContext,
  openTestCore,
  readTestLog,
  readTestSpending,
  type TestCore,
} from "@parley/core/testing";
import { pino } from "pino";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "./config.ts";
import { createWorker } from "./worker.ts";

const looks = (count: number) =>
  Array.from({ length: count }, () => ({ name: "look", params: {} }));
const script = {
  steps: [
    { text: "One look. ", toolCalls: looks(1) },
    { text: "Two more. ", toolCalls: looks(2) },
    { text: "Found it" },
  ],
  tokenDelayMs: 0,
};

describe("limits beside money", () => {
  let test: TestCore;
  let context: Context;
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
    return () => test.close();
  });
  beforeEach(async () => {
    const workspace = await insertTestWorkspace(test.core);
    await insertTestAgent(test.core, workspace, { sid: `looks ${workspace.id}`, script });
    context = await openTestContext(test.core, workspace, "admin");
    const settings = WorkerSettings.parse({});
    const worker = createWorker({ core: test.core, settings, logger: pino({ level: "silent" }) });
    worker.start();
    onTestFinished(() => worker.close(0));
  });
  const workspaceId = () => context.caller.workspace.id;
  const answer = async (agent = `looks ${workspaceId()}`) => {
    const created = await createTestConversation(context, [agent]);
    const logId = created.conversation.content.at(-1)![0]!.sId;
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      if (events.some(({ type }) => /^agent_(?:message_success|error)$/.test(type))) break;
    }
    return readTestLog(test.core, logId);
  };

  it("end an answer that calls tools more often, with its text", async () => {
    await insertTestLimit(test.core, workspaceId(), { limit: 2n, period: "answer" });
    const log = await answer();
    const calls = log.filter(({ type }) => type === "tool_params");
    expect(calls).toHaveLength(1);
    expect(log.at(-1)).toMatchObject({
      type: "agent_error",
      error: {
        code: "budget_exceeded",
        message: "The answer may call tools at most 2 times",
      },
    });
    const texts = log.flatMap((event) => (event.type === "generation_tokens" ? event.text : []));
    expect(texts.join("")).toBe("One look. Two more. ");
  });

  it("measure code, and end an agent's call of it once its time is used up", async () => {
    const { workspace } = context.caller;
    const code = `export default () => {
      let spun = 0;
      while (spun < 200_000) spun++;
      return "spun";
    };`;
    const spin = await insertTestFunction(test.core, workspace, { slug: "spin", code });
    const spins = { text: "", toolCalls: [{ name: "spin", params: {} }] };
    const spinner = { steps: [spins, spins, { text: "Done" }], tokenDelayMs: 0 };
    const agent = { sid: `spins ${workspace.id}`, script: spinner };
    await offerTestFunction(test.core, await insertTestAgent(test.core, workspace, agent), spin);
    const time = { measure: "processor_seconds", period: "day" } as const;
    await insertTestLimit(test.core, workspace.id, { ...time, limit: 1000n });
    const outputs = async () => {
      const log = await answer(agent.sid);
      return log.flatMap((event) =>
        event.type === "agent_action_success" ? JSON.stringify(event.action.output) : [],
      );
    };
    for (const output of await outputs()) expect(output).toContain("spun");
    const [usedMs = 0n] = await readTestSpending(test.core, workspace.id);
    expect(usedMs).toBeGreaterThan(0n);
    expect(usedMs).toBeLessThan(1_000_000n);
    await insertTestLimit(test.core, workspace.id, { ...time, limit: 0n });
    for (const output of await outputs()) {
      expect(output).toContain("budget_exceeded");
      expect(output).toContain("The limit of processor time of the workspace is used up");
    }
    expect(await readTestSpending(test.core, workspace.id)).toEqual([usedMs]);
    const refused = invokeSandboxFunction(context, { functionId: "spin", input: null });
    await expect(refused).rejects.toMatchObject({ type: "budget_exceeded" });
  });

  it("leave an answer alone that keeps to them", async () => {
    await insertTestLimit(test.core, workspaceId(), { limit: 3n, period: "answer" });
    await insertTestLimit(test.core, workspaceId(), { limit: 3n });
    expect((await answer()).at(-1)).toMatchObject({ type: "agent_message_success" });
    // The minute is used up.
    expect((await answer()).at(-1)).toMatchObject({
      type: "agent_error",
      error: {
        code: "budget_exceeded",
        message: expect.stringContaining("of the workspace is used up"),
      },
    });
  });
});
