import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  answerTestTurns,
  createTestConversation,
  expireTestLeases,
  insertTestFunction,
  postTestMessage,
} from "../../testing/testing.ts";
import type { RunOrigin } from "../context.ts";
import { retryMessage } from "../conversations/post-messages.ts";
import type { CoreContext } from "../create-core.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { takeOverRuns } from "../take-over-runs.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("the origin of runs", () => {
  const test = workspaceTest({ per: "suite", agents: ["agent"] });
  beforeAll(async () => {
    await insertTestFunction(test.core, test.workspace, { slug: "add" });
  });

  const from = (requestId: string, trace?: string): CoreContext => {
    const origin: RunOrigin = { requestId, traceparent: trace, depth: 0 };
    return Object.assign(Object.create(test.context) as CoreContext, { origin });
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
        const { conversation } = await createTestConversation(test.context, []);
        await postTestMessage(given, conversation.sId, { agentIds: ["agent"] });
      },
    },
    {
      name: "retry",
      make: async (given: CoreContext) => {
        const { conversation } = await createTestConversation(test.context, ["agent"]);
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
    const { sid: workspaceSid } = test.context.caller.workspace;
    const origin = { requestId: "request-1", traceparent, workspaceSid };
    expect(await claim()).toMatchObject([origin]);
    await expireTestLeases(test.core);
    expect(await takeOverRuns(test.core, options)).toMatchObject([{ ...origin, attempt: 2 }]);
  });

  it("is each request's own if requests share a commit", async () => {
    await Promise.all([
      createTestConversation(from("one", traceparent), ["agent"]),
      createTestConversation(from("two"), ["agent"]),
      createTestConversation(test.context, ["agent"]),
    ]);
    const claimed = await claim();
    const origins = claimed.map(({ requestId, traceparent: trace }) => `${requestId} ${trace}`);
    expect(origins.toSorted()).toEqual(["null null", `one ${traceparent}`, "two null"]);
  });
});
