import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimTestTurns, createTestConversation, testOutcome } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { lookForDueRuns } from "../runs/due-runs.ts";
import { NO_WORKER, removeWorker } from "../runs/live-workers.ts";
import { finishTurns } from "../turns/finish-turns.ts";

const failure = { code: "broken", message: "It broke", metadata: null };

describe("a blocking createConversation", () => {
  const test = workspaceTest({
    parts: { safetyPollMs: 60_000 },
    per: "suite",
    agents: ["ann", "bob"],
  });

  /** Plays the worker: ends each turn once it is woken. */
  const work = (outcomeOf: (agentId: string) => ReturnType<typeof testOutcome>) => {
    const unsubscribe = test.core.bus.subscribe("runs", () => {
      unsubscribe();
      void (async () => {
        for (const { run, turn } of await claimTestTurns(test.core)) {
          const outcome = outcomeOf(turn.agent.sid);
          await finishTurns(test.core, [{ run, turn, outcome, events: [], actions: [] }]);
        }
      })();
    });
  };

  it("answers with what the agents said once all of them have ended", async () => {
    work((agentId) => testOutcome(`I am ${agentId}`));
    const { conversation } = await createTestConversation(test.context, ["ann", "bob"], {
      blocking: true,
    });
    expect(conversation.content.flat()).toMatchObject([
      { type: "user_message" },
      { status: "succeeded", content: "I am ann", rawContents: [{ step: 0 }] },
      { status: "succeeded", content: "I am bob" },
    ]);
  });

  it("answers with the error of an agent that failed as a string", async () => {
    work((agentId) => testOutcome("", agentId === "ann" ? failure : null));
    const { conversation } = await createTestConversation(test.context, ["ann", "bob"], {
      blocking: true,
    });
    expect(conversation.content.flat()).toMatchObject([
      { type: "user_message" },
      { status: "failed", error: "It broke" },
      { status: "succeeded", error: null },
    ]);
  });

  it.each([
    { name: "its timeout has passed", blockingTimeoutMs: 10, signal: new AbortController().signal },
    { name: "the client goes away", blockingTimeoutMs: 60_000, signal: AbortSignal.timeout(10) },
  ])("answers with the conversation as it is when $name", async ({ name: _name, ...parts }) => {
    const impatient = Object.assign(Object.create(test.context) as CoreContext, parts);
    const created = await createTestConversation(impatient, ["ann"], { blocking: true });
    expect(created.conversation.content[1]).toMatchObject([{ status: "created", content: "" }]);
  });

  it("warns of a wait in vain if no worker is alive, and only there", async () => {
    const impatient = Object.assign(Object.create(test.context) as CoreContext, {
      blockingTimeoutMs: 10,
    });
    const create = () => createTestConversation(impatient, ["ann"], { blocking: true });
    const warnings = [{ path: "blocking", message: NO_WORKER }];
    expect((await create()).warnings).toEqual(warnings);
    await lookForDueRuns(test.core, { workerId: "brief", aliveMs: 1, modelServices: [] });
    await lookForDueRuns(test.core, { workerId: "ending", aliveMs: 60_000, modelServices: [] });
    expect((await create()).warnings).toBeUndefined();
    await removeWorker(test.core, "ending");
    expect((await create()).warnings).toEqual(warnings);
    expect((await createTestConversation(impatient, ["ann"])).warnings).toBeUndefined();
  });
});
