import { actions, messages } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  claimTestTurns,
  createTestConversation,
  testOutcome,
  testToken,
} from "../../testing/testing.ts";
import { readEvents } from "../log/read-log.ts";
import { LostLease } from "../runs/leases.ts";
import { finishTurns } from "./finish-turns.ts";
import { loadTurn } from "./load-turns.ts";
import { type FinishedStep, saveStep } from "./save-step.ts";
import { takeOverRuns } from "../take-over-runs.ts";

const call = (name: string) => ({
  id: `call_${name}`,
  name,
  params: { city: "Ulm" },
  output: `result of ${name}`,
  isError: false,
  durationMs: 1.6,
});

describe("saveStep", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann"] });
  beforeEach(async () => {
    await createTestConversation(test.context, ["ann"]);
  });

  const startStep = async (leaseMs = 60_000): Promise<FinishedStep> => {
    const [claimed] = await claimTestTurns(test.core, leaseMs);
    return {
      ...claimed!,
      step: 0,
      calls: [call("look"), call("ask")],
      events: [testToken("I look. ")],
      rawContents: [{ step: 0, content: "I look. " }],
      chainOfThought: "It may rain.",
    };
  };
  const takeOver = async () => {
    const options = { workerId: "other", leaseMs: 60_000, limit: 1 };
    return (await takeOverRuns(test.core, options))[0]!;
  };

  it("gives a step as it was saved by an unacknowledged call", async () => {
    const step = await startStep();
    const saved = await saveStep(test.core, { ...step, lastSeq: 0 });
    const events = await readEvents(test.core.database.db, step.run.logId, 0);
    expect(saved.lastSeq).toBe(events.length);
    expect(await saveStep(test.core, { ...step, lastSeq: 0 })).toEqual(saved);
    expect(await readEvents(test.core.database.db, step.run.logId, 0)).toEqual(events);
  });

  it("writes the calls, their events and the text together", async () => {
    const step = await startStep();
    const { rows: saved } = await saveStep(test.core, step);
    expect(saved).toMatchObject([
      { toolName: "look", step: 0, position: 0, executionDurationMs: 2 },
      { toolName: "ask", step: 0, position: 1, params: { city: "Ulm" } },
    ]);
    const events = await readEvents(test.core.database.db, step.run.logId, 0);
    expect(events.map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { type: "generation_tokens", text: "I look. " },
      { type: "tool_params", action: { status: "running", output: null, toolName: "look" } },
      {
        type: "agent_action_success",
        action: { status: "succeeded", output: [{ type: "text", text: "result of look" }] },
      },
      { type: "tool_params", action: { functionCallId: "call_ask" } },
      { type: "agent_action_success", action: { functionCallId: "call_ask" } },
    ]);
  });

  it("keeps what the model was not given, for the attempt that takes over and for readers", async () => {
    const note = { code: "file_deleted", fileId: "fil_1", title: "cat.png", message: "It is gone" };
    const step = await startStep(-1);
    await saveStep(test.core, { ...step, promptNotes: [note] });
    const run = await takeOver();
    const turn = (await loadTurn(test.core, run))!;
    expect(turn.message.promptNotes).toEqual([note]);
    const outcome = testOutcome("Done");
    await finishTurns(test.core, [{ run, turn, outcome, events: [], actions: [] }]);
    const [row] = await test.core.database.db
      .select({ promptNotes: messages.promptNotes })
      .from(messages)
      .where(eq(messages.sid, run.logId));
    expect(row).toEqual({ promptNotes: [note] });
    const events = await readEvents(test.core.database.db, run.logId, 0);
    expect(JSON.parse(events.at(-1)!.payload)).toMatchObject({ message: { notes: [note] } });
  });

  it("is where an attempt that takes over continues", async () => {
    const step = await startStep(-1);
    await saveStep(test.core, step);
    const run = await takeOver();
    const turn = (await loadTurn(test.core, run))!;
    expect(turn.message).toMatchObject({
      rawContents: step.rawContents,
      chainOfThought: step.chainOfThought,
    });
    expect(turn.actions.map((action) => action.toolName)).toEqual(["look", "ask"]);
    expect(turn.published).toHaveLength(5);
  });

  const expectNothing = async () => {
    const { db } = test.core.database;
    expect(await db.select().from(actions)).toEqual([]);
    const [message] = await db.select().from(messages).orderBy(messages.rank).offset(1);
    expect(message).toMatchObject({ rawContents: null, chainOfThought: null });
  };

  it("keeps what a step took, and what its provider is shown again, if a turn has ended the newest 64 KiB", async () => {
    const ofCache = { cachedInputTokens: 2, cacheWriteTokens: 1, reasoningTokens: 1 };
    const took = { step: 0, inputTokens: 5, outputTokens: 3, ...ofCache, durationMs: 12 };
    const steps = [30, 40, 20].map((kibibytes, step) => {
      return { ...took, step, replay: { signature: "s".repeat(kibibytes * 1024) } };
    });
    const step = await startStep(-1);
    await saveStep(test.core, { ...step, steps });
    const run = await takeOver();
    const turn = (await loadTurn(test.core, run))!;
    expect(turn.message.steps).toEqual(steps);
    const outcome = { ...testOutcome("I look. "), steps };
    await finishTurns(test.core, [{ run, turn, outcome, events: [], actions: [] }]);
    const rows = await test.core.database.db.select().from(messages);
    expect(rows.find(({ sid }) => sid === run.logId)?.steps).toEqual([took, steps[1], steps[2]]);
  });

  it("writes nothing for an attempt that was taken over", async () => {
    const step = await startStep(-1);
    await takeOver();
    await expect(saveStep(test.core, step)).rejects.toThrow(LostLease);
    await expectNothing();
    expect(await readEvents(test.core.database.db, step.run.logId, 0)).toEqual([]);
  });

  it("tells an attempt that was taken over so when the other has saved the step", async () => {
    const step = await startStep(-1);
    const current = { ...step, run: await takeOver(), calls: [call("look")] };
    await saveStep(test.core, current);
    await expect(saveStep(test.core, step)).rejects.toThrow(LostLease);
    const rows = await test.core.database.db.select().from(actions);
    expect(rows).toMatchObject([{ toolName: "look" }]);
    expect(await readEvents(test.core.database.db, step.run.logId, 0)).toHaveLength(3);
  });
});
