import { endpoints, parseInput, type TokenScope } from "@parley/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { endTestTurns } from "../../testing/finished-runs.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import {
  createTestConversation,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import type { RequestContext } from "../context.ts";
import type { CoreContext } from "../create-core.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { getRun } from "./get-run.ts";
import { listRuns } from "./list-runs.ts";

describe("one run", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann"], keepRuns: true });
  beforeAll(async () => {
    await insertTestFunction(test.core, test.workspace, { slug: "add" });
  });

  const get = (by: RequestContext, runId: string) =>
    getRun(by, parseInput(endpoints["runs.get"], { wId: test.workspaceId, runId }));
  const invoke = async (by: CoreContext, input: unknown) =>
    (await invokeSandboxFunction(by, { functionId: "add", input })).invocation.sId;
  const ask = async (by: CoreContext) => {
    const { conversation } = await createTestConversation(by, ["ann"]);
    return conversation.content[1]![0]!.sId;
  };
  const missing = "404 run_not_found";

  it("has the input of an invocation, and what lists show", async () => {
    const operator = openTestOperator(test.core).context;
    const query = parseInput(endpoints["runs.list"], { wId: test.workspaceId });
    for (const input of [{ a: [1, "x"] }, "text", 0, null]) {
      const runId = await invoke(test.context, input);
      const found = await get(test.context, runId);
      const [listed] = (await listRuns(operator, query)).runs;
      expect(found).toEqual({ ...listed, id: runId, input });
    }
  });

  it("has no input of a turn, which answers a conversation", async () => {
    const runId = await ask(test.context);
    expect(await get(test.context, runId)).toMatchObject({ id: runId, kind: "turn", input: null });
  });

  it("shows what a provider said of a failed turn to builders, admins and operators alone", async () => {
    const providerError = { message: "There is no model x", requestId: "req_1" };
    const error = { code: "provider_error", message: "It was refused", metadata: null };
    // The key of its token is a builder's, and the caller a user.
    const { id: userId } = test.context.caller.user;
    const userToken = { sid: null, keyRole: "builder", userId, expiresAt: Infinity };
    const scopes = new Set<TokenScope>(["functions:invoke", "conversations:read"]);
    const caller = {
      ...test.context.caller,
      userToken: { ...userToken, scopes, spaceIds: undefined },
    };
    const holder = Object.assign(Object.create(test.context) as CoreContext, { caller });
    const failed = await ask(holder);
    await endTestTurns(test.core, error, providerError);
    const succeeded = await ask(test.context);
    await endTestTurns(test.core);
    for (const role of ["builder", "admin"] as const) {
      const by = await openTestContext(test.core, test.workspace, role);
      expect(await get(by, failed)).toMatchObject({ error: { code: error.code }, providerError });
      expect(await get(by, succeeded)).toMatchObject({ providerError: null });
    }
    expect(await get(openTestOperator(test.core).context, failed)).toMatchObject({ providerError });
    for (const by of [test.context, holder]) {
      expect(await get(by, failed)).toMatchObject({ error: { code: error.code }, input: null });
      expect(await get(by, failed)).not.toHaveProperty("providerError");
    }
  });

  it("is not found by who does not reach it", async () => {
    const runId = await invoke(test.context, { a: 1 });
    const turn = await ask(test.context);
    const another = await openTestContext(test.core, test.workspace, "user");
    const builder = await openTestContext(test.core, test.workspace, "builder");
    const elsewhere = await insertTestWorkspace(test.core);
    const foreign = await openTestContext(test.core, elsewhere, "admin");
    for (const id of [runId, turn]) {
      expect(await refusalOf(get(another, id))).toBe(missing);
      expect(await refusalOf(get(foreign, id))).toBe(missing);
      expect(await get(builder, id)).toMatchObject({ id });
    }
    expect(await refusalOf(get(builder, "nobody"))).toBe(missing);
  });

  it("shows a token without the scope of conversations no turn", async () => {
    const holder = (scopes: TokenScope[]): CoreContext => {
      const userToken = {
        sid: null,
        scopes: new Set(scopes),
        spaceIds: undefined,
        keyRole: "user",
        expiresAt: Number.MAX_SAFE_INTEGER,
      };
      const caller = { ...test.context.caller, userToken };
      return Object.assign(Object.create(test.context) as CoreContext, { caller });
    };
    const reader = holder(["functions:invoke", "conversations:read"]);
    const caller = holder(["functions:invoke"]);
    const [turn, runId] = [await ask(reader), await invoke(reader, 1)];
    expect(await get(reader, turn)).toMatchObject({ id: turn });
    expect(await refusalOf(get(caller, turn))).toBe(missing);
    expect(await get(caller, runId)).toMatchObject({ input: 1 });
  });
});
