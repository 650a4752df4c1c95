import type { StepRequest } from "@parley/agent";
import type { Core } from "@parley/core";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestRequests,
  type TestCore,
} from "@parley/core/testing";
import { createHash } from "node:crypto";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRequestRecorder, type SentStep } from "./request-recorder.ts";

describe("a recorder of requests", () => {
  let test: TestCore;
  let claimed: Pick<SentStep, "run" | "turn">;
  beforeAll(async () => {
    test = await openTestCore();
    const workspace = await insertTestWorkspace(test.core);
    await insertTestAgent(test.core, workspace, { sid: "ann" });
    const context = await openTestContext(test.core, workspace);
    await createTestConversation(context, ["ann"]);
    claimed = (await claimTestTurns(test.core))[0]!;
  });
  beforeEach(() => test.core.database.db.execute("delete from recorded_requests"));
  afterAll(async () => {
    await clearRuns(test.core);
    await test.close();
  });

  const open = (core: Core = test.core) => {
    const registry = new Registry();
    const recorder = createRequestRecorder({ core, logger: pino({ level: "silent" }), registry });
    const outcomes = async () => {
      const [metric] = await registry.getMetricsAsJSON();
      const values = (metric?.values ?? []) as { labels: object; value: number }[];
      return Object.fromEntries(
        values
          .filter(({ value }) => value > 0)
          .map(({ labels, value }) => [Object.values(labels)[0], value]),
      ) as Record<string, number>;
    };
    return { ...recorder, outcomes };
  };
  const toStep = (body: string, step = 0): SentStep => {
    const steps = { finishedSteps: [], finishedCalls: [] };
    // Nothing else of a request is read.
    const request = { step, ...steps } as Partial<StepRequest> as StepRequest;
    return {
      ...claimed,
      request,
      sent: { providerId: "openai", modelId: "gpt-5", body, files: [] },
    };
  };
  const bodyOf = (characters: number) => JSON.stringify({ input: "ä".repeat(characters) });

  it.each([100, 100_000, 1_000_000, 3_000_000])(
    "hashes and keeps a body of %i characters",
    async (characters) => {
      const recorder = open();
      const body = bodyOf(characters);
      recorder.record(toStep(body));
      await recorder.close();
      const { requests, pieces } = await readTestRequests(test.core);
      const sha256 = createHash("sha256").update(body).digest("hex");
      expect(requests).toMatchObject([{ sha256, sizeBytes: Buffer.byteLength(body) }]);
      expect(pieces.some(({ text }) => text.length > characters)).toBe(characters > 1000);
      expect(await recorder.outcomes()).toEqual({ recorded: 1 });
    },
  );

  it("keeps size and hash of a larger one", async () => {
    const recorder = open();
    recorder.record(toStep(bodyOf(5_000_000)));
    await recorder.close();
    const { requests } = await readTestRequests(test.core);
    expect(requests).toMatchObject([{ template: null, sizeBytes: 10_000_012 }]);
  });

  it("waits for a database that is down, and writes what was sent meanwhile", async () => {
    let failures = 0;
    const db = new Proxy(test.core.database.db, {
      get: (target, name) => {
        if (name === "session" && failures < 3) {
          failures++;
          throw Object.assign(new Error("the database starts"), { code: "57P03" });
        }
        return Reflect.get(target, name) as unknown;
      },
    });
    const recorder = open({ ...test.core, database: { ...test.core.database, db } });
    for (const step of [0, 1, 2]) recorder.record(toStep(bodyOf(10), step));
    await recorder.close();
    expect(failures).toBe(3);
    expect((await readTestRequests(test.core)).requests).toHaveLength(3);
    expect(await recorder.outcomes()).toEqual({ recorded: 3 });
  });

  it("drops what is beyond its bounds, and what is no JSON, and says so", async () => {
    const recorder = open();
    for (let step = 0; step < 1010; step++) recorder.record(toStep("{}", step));
    await recorder.close();
    expect(await recorder.outcomes()).toEqual({ recorded: 1000, overflow: 10 });
    const other = open();
    other.record(toStep("no JSON"));
    await other.close();
    expect(await other.outcomes()).toEqual({ failed: 1 });
  });
});
