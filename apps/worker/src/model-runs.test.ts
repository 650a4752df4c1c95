import { startFakeService } from "@parley/agent/testing";
import { type Context, followLog, updateWorkspace } from "@parley/core";
import {
  clearRuns,
  createTestConversation,
  drivers,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  type TestCore,
} from "@parley/core/testing";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "./config.ts";
import { createWorker } from "./worker.ts";

// What becomes of turns whose model is a service's, when their worker goes.

const model = { providerId: "openai_compatible", modelId: "llama" };

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`turns of services ${suite}`, () => {
    let test: TestCore;
    let context: Context;
    beforeAll(async () => {
      test = await openTestCore(driver, { safetyPollMs: 60_000 });
      const workspace = await insertTestWorkspace(test.core);
      const admin = await openTestContext(test.core, workspace);
      await updateWorkspace(admin, {
        workspaceId: workspace.sid,
        name: undefined,
        region: undefined,
        regionalModelsOnly: undefined,
        models: [model],
      });
      await insertTestAgent(test.core, workspace, { sid: "ann", ...model });
      context = await openTestContext(test.core, workspace);
    });
    beforeEach(() => clearRuns(test.core));
    afterAll(() => test.close());

    const startWorker = (url: string) => {
      const settings = WorkerSettings.parse({ PARLEY_OPENAI_COMPATIBLE_URL: `${url}/v1` });
      const worker = createWorker({ core: test.core, settings, logger: pino({ level: "silent" }) });
      worker.start();
      onTestFinished(() => worker.close(0));
      return worker;
    };
    const start = async (text: string, tokenDelayMs: number) => {
      const service = await startFakeService({ script: { steps: [{ text }], tokenDelayMs } });
      onTestFinished(service.close);
      const { conversation } = await createTestConversation(context, ["ann"]);
      return { service, mId: conversation.content.at(-1)![0]!.sId };
    };
    /** Waits until the log holds an event of this type. */
    const until = async (logId: string, type: string): Promise<void> => {
      const { signal } = new AbortController();
      for await (const events of followLog(test.core, { logId, after: 0, signal })) {
        if (events.some((event) => event.type === type)) return;
      }
    };

    it("hang up when the worker stops, and end as interrupted where they had begun to speak", async () => {
      const { service, mId } = await start("word ".repeat(5000), 5);
      const worker = startWorker(service.url);
      await until(mId, "generation_tokens");
      await worker.close(0);
      await service.idle();
      startWorker(service.url);
      await until(mId, "agent_error");
      const last = (await readTestLog(test.core, mId)).at(-1);
      expect(last).toMatchObject({ type: "agent_error", error: { code: "interrupted" } });
      expect(service.requests).toHaveLength(1);
    });

    it("are begun again by the next worker where they had said nothing yet", async () => {
      const { service, mId } = await start("Here I am", 0);
      service.faults.push({ kind: "silent", afterFrames: 0 });
      const asked = Promise.withResolvers<void>();
      service.onRequest = asked.resolve;
      const worker = startWorker(service.url);
      await asked.promise;
      await worker.close(0);
      await service.idle();
      startWorker(service.url);
      await until(mId, "agent_message_success");
      const last = (await readTestLog(test.core, mId)).at(-1);
      expect(last).toMatchObject({ message: { status: "succeeded", content: "Here I am" } });
      expect(service.requests).toHaveLength(2);
    });
  });
}
