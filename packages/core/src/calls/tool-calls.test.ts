import { actions, agentTools, invocations, runs, toolApprovals } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import { createTestToolServers, testTool } from "../../testing/tool-servers.ts";
import type { CoreContext } from "../create-core.ts";
import { finishInvocations } from "../invocations/finish-invocations.ts";
import { loadInvocation } from "../invocations/load-invocation.ts";
import { spanId, traceOf } from "../runs/span-ids.ts";
import { registerTool } from "../tools/register-tools.ts";
import { createSpace } from "../workspaces/spaces.ts";
import { saveStep } from "../turns/save-step.ts";
import { settleCalls } from "./settle-calls.ts";
import type { StoredToolResult } from "./tool-results.ts";
import { validateAction } from "./validate-action.ts";

const url = "https://shop.test/mcp";
const stakes = { find: "never_ask", ask: "low", order: "medium", pay: "high" } as const;

describe("calls of remote tools", () => {
  const servers = createTestToolServers();
  const test = coreTest({ toolServers: servers });
  let context: CoreContext;
  beforeAll(async () => {
    servers.answers.set(
      url,
      Object.keys(stakes).map((name) => testTool(name)),
    );
    const workspace = await insertTestWorkspace(test.core);
    const wId = workspace.sid;
    context = await openTestContext(test.core, workspace, "admin");
    const named = parseInput(endpoints["spaces.create"], { wId, name: "Shop" });
    const { space } = await createSpace(context, named);
    const tools = await Promise.all(
      ["Bücher-Laden!", "bücher-laden"].map((name) => {
        const given = { wId, spaceId: space.sId, url, name, stakes, retryableTools: ["find"] };
        return registerTool(context, parseInput(endpoints["tools.register"], given));
      }),
    );
    const byId = tools.map(({ tool }) => tool.id).toSorted((a, b) => a - b);
    for (const sid of ["ann", "bob"]) {
      const { id: agentId } = await insertTestAgent(test.core, workspace, { sid });
      const given = byId.map((toolId, position) => ({ agentId, toolId, position }));
      await test.core.database.db.insert(agentTools).values(given);
    }
  });
  beforeEach(async () => {
    await clearRuns(test.core);
    await test.core.database.db.delete(toolApprovals);
  });

  /** A turn of the agent whose first step has called this tool of the first server. */
  const call = async (
    tool: string,
    { agent = "ann", params = { text: "a" }, ...body }: CallOptions = {},
  ) => {
    const { conversation } = await createTestConversation(context, [agent], body);
    const [claimed] = await claimTestTurns(test.core);
    const { run, turn } = claimed!;
    const calls = [{ id: "c", name: `bucher-laden__${tool}`, params }];
    const step = { run, turn, step: 0, calls, events: [], chainOfThought: null };
    const saved = await saveStep(test.core, { ...step, rawContents: [{ step: 0, content: "" }] });
    const action = saved.rows[0]!;
    return { cId: conversation.sId, mId: run.logId, actionId: action.sid, action };
  };
  interface CallOptions {
    readonly agent?: string;
    readonly params?: Record<string, unknown>;
    readonly skipToolsValidation?: boolean;
  }
  const readInvocations = () => test.core.database.db.select().from(invocations);
  /** Ends the one call that runs, as a worker does. */
  const answer = async (result: Partial<StoredToolResult>) => {
    const claimed = await claimRuns(test.core, { workerId: "test", leaseMs: 60_000, limit: 10 });
    const run = claimed.find(({ kind }) => kind === "invocation")!;
    const loaded = await loadInvocation(test.core, run);
    const whole = { content: [], isError: false, generatedFiles: [], ...result };
    const outcome = { status: "succeeded", result: whole } as const;
    await finishInvocations(test.core, [{ ...loaded, run, outcome, events: [] }]);
    const [resumed] = await claimTestTurns(test.core);
    const settled = await settleCalls(test.core, resumed!);
    return settled?.actions[0];
  };

  it("have names that are unique and that all providers accept", async () => {
    await createTestConversation(context, ["ann"]);
    const [claimed] = await claimTestTurns(test.core);
    const names = claimed!.turn.tools.map(({ name }) => name);
    expect(names).toHaveLength(8);
    expect(new Set(names).size).toBe(8);
    expect(names.slice(0, 5)).toEqual([
      "bucher-laden__ask",
      "bucher-laden__find",
      "bucher-laden__order",
      "bucher-laden__pay",
      "bucher-laden__ask_2",
    ]);
  });

  it("are made at once if nobody is asked, and may be retried if that is said", async () => {
    const { action } = await call("find");
    expect(action).toMatchObject({ status: "running", toolName: "find", stake: "never_ask" });
    const [invocation] = await readInvocations();
    expect(JSON.parse(invocation!.input)).toEqual({ name: "find", arguments: { text: "a" } });
    const [run] = await test.core.database.db
      .select()
      .from(runs)
      .where(eq(runs.logId, invocation!.sid));
    expect(run!.maxAttempts).toBeGreaterThan(1);
  });

  it("fail before the server is asked if the parameters break the schema", async () => {
    await call("find", { params: { text: 7 } });
    const [invocation] = await readInvocations();
    expect(invocation).toMatchObject({ status: "errored", error: { code: "invalid_input" } });
  });

  it("wait as their stakes say, and not at all if the message skips that", async () => {
    for (const tool of ["ask", "order", "pay"]) {
      expect((await call(tool)).action.status, tool).toBe("blocked_validation_required");
      expect((await call(tool, { skipToolsValidation: true })).action.status, tool).toBe("running");
      await clearRuns(test.core);
    }
  });

  it("are approved permanently for all agents, for one, or for this call alone", async () => {
    const again = {
      ask: { ann: "running", bob: "running" },
      order: { ann: "running", bob: "blocked_validation_required" },
      pay: { ann: "blocked_validation_required", bob: "blocked_validation_required" },
    };
    for (const [tool, expected] of Object.entries(again)) {
      await validateAction(context, { ...(await call(tool)), approved: "always_approved" });
      for (const [agent, status] of Object.entries(expected)) {
        await clearRuns(test.core);
        expect((await call(tool, { agent })).action.status, `${tool} by ${agent}`).toBe(status);
      }
      await clearRuns(test.core);
    }
  });

  it("are made with the parameters of the decision", async () => {
    const asked = await call("pay");
    const wrong = { ...asked, approved: "approved", params: { text: 7 } } as const;
    expect(await refusalOf(validateAction(context, wrong))).toBe("400 invalid_request_error");
    const denied = { ...asked, approved: "rejected", params: { text: "b" } } as const;
    expect(await refusalOf(validateAction(context, denied))).toBe("400 invalid_request_error");
    await validateAction(context, { ...asked, approved: "approved", params: { text: "b" } });
    const [invocation] = await readInvocations();
    expect(JSON.parse(invocation!.input)).toEqual({ name: "pay", arguments: { text: "b" } });
    const [action] = await test.core.database.db
      .select()
      .from(actions)
      .where(eq(actions.sid, asked.actionId));
    expect(action).toMatchObject({ params: { text: "b" }, decision: "approved" });
  });

  it("are in the trace of their turn, at once and after an approval", async () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    const own = context;
    const from = (requestId: string, trace?: string): CoreContext => {
      const origin = { requestId, traceparent: trace, depth: 1 };
      return Object.assign(Object.create(own) as CoreContext, { origin });
    };
    context = from("asked", traceparent);
    const found = await call("find");
    const asked = await call("pay");
    await validateAction(from("approved"), { ...asked, approved: "approved" });
    context = own;
    const untraced = await call("find");
    const stored = await test.core.database.db
      .select()
      .from(runs)
      .where(eq(runs.kind, "invocation"));
    const spanOf = (of: typeof asked) => spanId(of.mId, "call", { key: of.actionId });
    const origins = stored.map(({ requestId, traceparent: trace, depth }) => [
      requestId,
      trace,
      depth,
    ]);
    expect(origins).toEqual([
      ["asked", `00-4bf92f3577b34da6a3ce929d0e0e4736-${spanOf(found)}-00`, 1],
      ["asked", `00-4bf92f3577b34da6a3ce929d0e0e4736-${spanOf(asked)}-00`, 1],
      [null, `00-${traceOf(untraced.mId, null).traceId}-${spanOf(untraced)}-01`, 0],
    ]);
  });

  it("give the model what the server answered, also when that is an error", async () => {
    await call("find");
    const content = [{ type: "text", text: "two shoes" }];
    expect(await answer({ content })).toMatchObject({ status: "succeeded", output: content });
    await clearRuns(test.core);
    await call("find");
    expect(await answer({ content, isError: true })).toMatchObject({ status: "errored" });
    await clearRuns(test.core);
    await call("find");
    const structured = await answer({ structuredContent: { count: 2 } });
    expect(structured).toMatchObject({ output: [{ type: "text", text: '{"count":2}' }] });
  });
});
