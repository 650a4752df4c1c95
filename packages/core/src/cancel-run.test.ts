import { endpoints, parseInput } from "@parley/schema";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endTestTurns } from "../testing/finished-runs.ts";
import { openTestOperator, refusalOf } from "../testing/operator.ts";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  type TestCore,
} from "../testing/testing.ts";
import { listRuns } from "./activity/list-runs.ts";
import { cancelRun } from "./cancel-run.ts";
import type { RequestContext } from "./context.ts";
import type { CoreContext } from "./create-core.ts";
import type { WorkspaceRow } from "./data-access/rows.ts";
import { invokeSandboxFunction } from "./invocations/invoke.ts";
import { saveStep } from "./turns/save-step.ts";

describe("cancelling a run", () => {
  let test: TestCore;
  let workspace: WorkspaceRow;
  let builder: CoreContext;
  beforeAll(async () => {
    test = await openTestCore();
    workspace = await insertTestWorkspace(test.core);
    builder = await openTestContext(test.core, workspace, "builder");
    await insertTestAgent(test.core, workspace, { sid: "ann" });
    await insertTestFunction(test.core, workspace, { slug: "add" });
  });
  beforeEach(() => clearRuns(test.core));
  afterAll(() => test.close());

  const cancel = (runId: string, by: RequestContext = builder, wId = workspace.sid) =>
    cancelRun(by, parseInput(endpoints["runs.cancel"], { wId, runId }));
  const invoke = async () =>
    (await invokeSandboxFunction(builder, { functionId: "add", input: null })).invocation.sId;
  const ask = async () => {
    const { conversation } = await createTestConversation(builder, ["ann"]);
    return conversation.content[1]![0]!.sId;
  };
  const statesOf = async () => {
    const input = parseInput(endpoints["runs.list"], { wId: workspace.sid });
    const { runs } = await listRuns(builder, input);
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
      builder,
      parseInput(endpoints["runs.list"], { wId: workspace.sid, kind: "invocation" }),
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
