import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimRuns } from "../../testing/runs.ts";
import {
  answerTestTurns,
  clearRuns,
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  postTestMessage,
  type TestCore,
} from "../../testing/testing.ts";
import type { RunOrigin } from "../context.ts";
import { retryMessage } from "../conversations/post-messages.ts";
import type { CoreContext } from "../create-core.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { takeOverRuns } from "../turns/take-over-runs.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("the origin of runs", () => {
  let test: TestCore;
  let context: CoreContext;
  beforeAll(async () => {
    test = await openTestCore();
    const workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace);
    await insertTestAgent(test.core, workspace, { sid: "agent" });
    await insertTestFunction(test.core, workspace, { slug: "add" });
  });
  beforeEach(() => clearRuns(test.core));
  afterAll(() => test.close());

  const from = (requestId: string, trace?: string): CoreContext => {
    const origin: RunOrigin = { requestId, traceparent: trace };
    return Object.assign(Object.create(context) as CoreContext, { origin });
  };
  const options = { workerId: "one", leaseMs: 60_000, limit: 10 };
  const claim = () => claimRuns(test.core, options);

  it.each([
    {
      name: "create",
      make: (given: CoreContext) => createTestConversation(given, ["agent"]),
    },
    {
      name: "post",
      make: async (given: CoreContext) => {
        const { conversation } = await createTestConversation(context, []);
        await postTestMessage(given, conversation.sId, { agentIds: ["agent"] });
      },
    },
    {
      name: "retry",
      make: async (given: CoreContext) => {
        const { conversation } = await createTestConversation(context, ["agent"]);
        await answerTestTurns(test.core);
        const mId = conversation.content[1]?.[0]?.sId ?? "";
        await retryMessage(given, { cId: conversation.sId, mId });
      },
    },
    {
      name: "invocation",
      make: (given: CoreContext) =>
        invokeSandboxFunction(given, { functionId: "add", input: null }),
    },
  ])("comes with the claim of a run that a $name makes", async ({ make }) => {
    await make(from("request-1", traceparent));
    const { sid: workspaceSid } = context.caller.workspace;
    const origin = { requestId: "request-1", traceparent, workspaceSid };
    expect(await claim()).toMatchObject([origin]);
    await expireTestLeases(test.core);
    expect(await takeOverRuns(test.core, options)).toMatchObject([{ ...origin, attempt: 2 }]);
  });

  it("is each request's own if requests share a commit", async () => {
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
