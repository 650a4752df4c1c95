import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Context, RunOrigin } from "../context.ts";
import { invokeSandboxFunction } from "../invocations.ts";
import { retryMessage } from "../posted-messages.ts";
import {
  answerTestTurns,
  clearRuns,
  createTestConversation,
  drivers,
  expireTestLeases,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  postTestMessage,
  type TestCore,
} from "../testing.ts";
import { claimRuns, takeOverRuns } from "./claim-runs.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`the origin of runs ${suite}`, () => {
    let test: TestCore;
    let context: Context;
    beforeAll(async () => {
      test = await openTestCore(driver);
      const workspace = await insertTestWorkspace(test.core);
      context = await openTestContext(test.core, workspace);
      await insertTestAgent(test.core, workspace, { sid: "agent" });
      await insertTestFunction(test.core, workspace, { slug: "add" });
    });
    beforeEach(() => clearRuns(test.core));
    afterAll(() => test.close());

    const from = (requestId: string, trace?: string): Context => {
      const origin: RunOrigin = { requestId, traceparent: trace };
      return Object.assign(Object.create(context) as Context, { origin });
    };
    const options = { workerId: "one", leaseMs: 60_000, limit: 10 };
    const claim = () => claimRuns(test.core, options);

    it.each([
      {
        name: "create",
        make: (given: Context) => createTestConversation(given, ["agent"]),
      },
      {
        name: "post",
        make: async (given: Context) => {
          const { conversation } = await createTestConversation(context, []);
          await postTestMessage(given, conversation.sId, { agentIds: ["agent"] });
        },
      },
      {
        name: "retry",
        make: async (given: Context) => {
          const { conversation } = await createTestConversation(context, ["agent"]);
          await answerTestTurns(test.core);
          const mId = conversation.content[1]?.[0]?.sId ?? "";
          await retryMessage(given, { cId: conversation.sId, mId });
        },
      },
      {
        name: "invocation",
        make: (given: Context) => invokeSandboxFunction(given, { functionId: "add", input: null }),
      },
    ])("comes with the claim of a run that a $name makes", async ({ make }) => {
      await make(from("request-1", traceparent));
      const { sid: workspaceSid } = context.caller.workspace;
      const origin = { requestId: "request-1", traceparent, workspaceSid };
      expect(await claim()).toMatchObject([origin]);
      await expireTestLeases(test.core);
      expect(await takeOverRuns(test.core, options)).toMatchObject([{ ...origin, attempt: 2 }]);
    });

    it("is each request's own where requests share a commit", async () => {
      await Promise.all([
        createTestConversation(from("one", traceparent), ["agent"]),
        createTestConversation(from("two"), ["agent"]),
        createTestConversation(context, ["agent"]),
      ]);
      const claimed = await claim();
      const origins = claimed.map(({ requestId, traceparent: trace }) => `${requestId} ${trace}`);
      expect(origins.toSorted()).toEqual(["null null", `one ${traceparent}`, "two null"]);
    });
  });
}
