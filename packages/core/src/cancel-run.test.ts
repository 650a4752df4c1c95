import { endpoints, parseInput } from "@parley/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../testing/core-test.ts";
import { endTestTurns } from "../testing/finished-runs.ts";
import { openTestOperator, refusalOf } from "../testing/operator.ts";
import {
  claimTestTurns,
  createTestConversation,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  readTestLog,
} from "../testing/testing.ts";
import { listRuns } from "./activity/list-runs.ts";
import { cancelRun } from "./cancel-run.ts";
import type { RequestContext } from "./context.ts";
import { invokeSandboxFunction } from "./invocations/invoke.ts";
import { saveStep } from "./turns/save-step.ts";

describe("cancelling a run", () => {
  const test = workspaceTest({ per: "suite", role: "builder", agents: ["ann"] });
  beforeAll(async () => {
    await insertTestFunction(test.core, test.workspace, { slug: "add" });
  });

  const cancel = (runId: string, by: RequestContext = test.context, wId = test.workspaceId) =>
    cancelRun(by, parseInput(endpoints["runs.cancel"], { wId, runId }));
  const invoke = async () =>
    (await invokeSandboxFunction(test.context, { functionId: "add", input: null })).invocation.sId;
  const ask = async () => {
    const { conversation } = await createTestConversation(test.context, ["ann"]);
    return conversation.content[1]![0]!.sId;
  };
  const statesOf = async () => {
    const input = parseInput(endpoints["runs.list"], { wId: test.workspaceId });
    const { runs } = await listRuns(test.context, input);
    return runs.map(({ kind, status }) => `${kind} ${status}`);
  };

  it("ends a turn, and an invocation, with the event that ends their logs", async () => {
    const turn = await ask();
    const invocation = await invoke();
    for (const runId of [turn, invocation]) expect(await cancel(runId)).toEqual({ success: true });
    expect(await statesOf()).toEqual(["invocation cancelled", "turn cancelled"]);
    expect(await readTestLog(test.core, turn)).toMatchObject([
      { type: "agent_generation_cancelled", messageId: turn },
    ]);
    expect((await readTestLog(test.core, invocation)).at(-1)).toMatchObject({
      error: { code: "cancelled" },
    });
  });

  it("ends the call of an agent, which continues", async () => {
    await ask();
    const [claimed] = await claimTestTurns(test.core);
    const calls = [{ id: "c", name: "add", params: {} }];
    const texts = { rawContents: [{ step: 0, content: "" }], chainOfThought: null };
    await saveStep(test.core, { ...claimed!, step: 0, calls, events: [], ...texts });
    expect(await statesOf()).toEqual(["invocation waiting", "turn suspended"]);
    const { runs } = await listRuns(
      test.context,
      parseInput(endpoints["runs.list"], { wId: test.workspaceId, kind: "invocation" }),
    );
    await cancel(runs[0]!.id);
    expect(await statesOf()).toEqual(["invocation cancelled", "turn waiting"]);
  });

  it("changes nothing about one that has ended", async () => {
    const turn = await ask();
    await endTestTurns(test.core);
    const before = await readTestLog(test.core, turn);
    expect(await cancel(turn)).toEqual({ success: true });
    expect(await statesOf()).toEqual(["turn succeeded"]);
    expect(await readTestLog(test.core, turn)).toEqual(before);
  });

  it("is open to operators, and to nobody of another workspace", async () => {
    const other = await insertTestWorkspace(test.core);
    const stranger = await openTestContext(test.core, other, "admin");
    const operator = openTestOperator(test.core).context;
    const runId = await ask();
    const missing = "404 run_not_found";
    expect(await refusalOf(cancel(runId, stranger, other.sid))).toBe(missing);
    expect(await refusalOf(cancel(runId, operator, other.sid))).toBe(missing);
    expect(await refusalOf(cancel("nothing"))).toBe(missing);
    expect(await statesOf()).toEqual(["turn waiting"]);
    await cancel(runId, operator);
    expect(await statesOf()).toEqual(["turn cancelled"]);
  });
});
