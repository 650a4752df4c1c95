import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { endTestTurns } from "../../testing/finished-runs.ts";
import {
  createTestConversation,
  insertTestFunction,
  openTestContext,
} from "../../testing/testing.ts";
import { writeTestUsage } from "../../testing/usage.ts";
import type { CoreContext } from "../create-core.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { listRuns } from "./list-runs.ts";

type Query = Omit<InputOf<(typeof endpoints)["runs.list"]>, "wId">;

describe("the runs behind a figure of the overview", () => {
  const test = workspaceTest({ agents: ["ann"] });
  let other: CoreContext;
  let ids: Record<"early" | "late" | "invoked", string>;
  const list = async (query: Query) => {
    const input = parseInput(endpoints["runs.list"], { wId: test.workspaceId, ...query });
    return listRuns(test.operator.context, input);
  };
  const found = async (query: Query) => (await list(query)).runs.map(({ id }) => id);
  const ask = async (context: CoreContext, modelId: string) => {
    test.clock.now += 1000;
    const { conversation } = await createTestConversation(context, ["ann"]);
    const id = conversation.content[1]![0]!.sId;
    await writeTestUsage(context, { logId: id, modelId });
    return id;
  };
  beforeEach(async () => {
    other = await openTestContext(test.core, test.workspace);
    await insertTestFunction(test.core, test.workspace, { slug: "add" });
    const early = await ask(test.context, "gpt-5");
    // It ends a minute after its creation.
    test.clock.now += 60_000;
    await endTestTurns(test.core);
    const late = await ask(other, "gpt-5-mini");
    await endTestTurns(test.core);
    const given = { functionId: "add", input: null };
    const { invocation } = await invokeSandboxFunction(other, given);
    ids = { early, late, invoked: invocation.sId };
  });

  it("are those of a model, a key or a user", async () => {
    expect(await found({ model: "openai/gpt-5" })).toEqual([ids.early]);
    expect(await found({ model: "openai/gpt-5-mini" })).toEqual([ids.late]);
    expect(await found({ model: "openai" })).toEqual([]);
    const keyOf = ({ caller }: CoreContext) => caller.apiKey.sid;
    expect(await found({ keyId: keyOf(test.context) })).toEqual([ids.early]);
    expect((await found({ keyId: keyOf(other) })).toSorted()).toEqual(
      [ids.late, ids.invoked].toSorted(),
    );
    expect(await found({ keyId: "key_unknown" })).toEqual([]);
    const { sid } = test.context.caller.user;
    expect(await found({ userId: sid })).toEqual([ids.early]);
    expect(await found({ userId: "usr_unknown" })).toEqual([]);
    expect(await found({ toolId: "tol_unknown" })).toEqual([]);
  });

  it("are looked for among what a key reaches itself", async () => {
    const own = { wId: test.workspaceId, kind: "turn" };
    const ofKey = await listRuns(test.context, parseInput(endpoints["runs.list"], own));
    expect(ofKey.runs.map(({ id }) => id)).toContain(ids.early);
    const { sid: keyId } = other.caller.apiKey;
    const asked = parseInput(endpoints["runs.list"], { ...own, keyId });
    const ofOther = (await listRuns(test.context, asked)).runs.map(({ id }) => id);
    expect(ofOther).not.toContain(ids.early);
  });

  it("are those that ended then, those that ended last first", async () => {
    const [late, early] = (await list({ kind: "turn" })).runs;
    const endOf = (run = early) => run!.endedAt!;
    expect(endOf() - early!.createdAt).toBeGreaterThanOrEqual(60_000);
    expect(await found({ endedFrom: endOf(), endedTo: endOf() + 1 })).toEqual([ids.early]);
    expect(await found({ endedTo: endOf() })).toEqual([]);
    expect(await found({ endedFrom: endOf(), to: late!.createdAt })).toEqual([ids.early]);
    const first = await list({ endedFrom: 0, limit: 1 });
    expect(first).toMatchObject({ runs: [{ id: ids.late }], hasMore: true });
    const second = await list({ endedFrom: 0, limit: 1, lastValue: first.lastValue! });
    expect(second).toMatchObject({ runs: [{ id: ids.early }], hasMore: false });
  });
});
