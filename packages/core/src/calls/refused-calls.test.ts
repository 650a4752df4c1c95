import { agentTools, invocations, runs, toolAuthorizations, toolConnections } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { asc, eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { expireTestLeases } from "../../testing/leases.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  readTestLog,
} from "../../testing/testing.ts";
import { createTestToolServers, testTool } from "../../testing/tool-servers.ts";
import type { CoreContext } from "../create-core.ts";
import { finishInvocations } from "../invocations/finish-invocations.ts";
import { loadInvocation } from "../invocations/load-invocation.ts";
import { inTransaction } from "../log/transaction.ts";
import { handBackRuns, LostLease } from "../runs/leases.ts";
import { voidClaims } from "../runs/void-claims.ts";
import { wakeSuspendedRuns } from "../runs/wake-runs.ts";
import { registerTool } from "../tools/register-tools.ts";
import { createSpace } from "../workspaces/spaces.ts";
import { resumeWaitingTurns } from "./allowed-calls.ts";
import { awaitPermission } from "./refused-calls.ts";
import { saveStep } from "../turns/save-step.ts";
import { settleCalls } from "./settle-calls.ts";
import { takeOverRuns } from "../take-over-runs.ts";

const url = "https://shop.test/mcp";
const sealed = { keyId: "", ciphertext: "" };
const claim = { workerId: "test", leaseMs: 60_000, limit: 10 };

describe("calls that a server refuses because a token is for less", () => {
  const servers = createTestToolServers();
  const test = coreTest({ toolServers: servers });
  let context: CoreContext;
  let named: { toolId: number; userId: number };
  let toolSid: string;
  beforeAll(async () => {
    servers.answers.set(url, [testTool("find")]);
    const { db } = test.core.database;
    const workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace, "admin");
    const wId = workspace.sid;
    const space = parseInput(endpoints["spaces.create"], { wId, name: "Shop" });
    const { space: made } = await createSpace(context, space);
    const given = { wId, spaceId: made.sId, url, name: "shop", defaultStake: "never_ask" };
    const { tool } = await registerTool(context, parseInput(endpoints["tools.register"], given));
    const oauth = { grant: "authorization_code", clientId: "parley" } as const;
    await db.update(toolConnections).set({ oauth }).where(eq(toolConnections.toolId, tool.id));
    const { id: agentId } = await insertTestAgent(test.core, workspace, { sid: "ann" });
    await db.insert(agentTools).values({ agentId, toolId: tool.id, position: 0 });
    named = { toolId: tool.id, userId: context.caller.user.id };
    toolSid = tool.sId;
  });
  beforeEach(() => clearRuns(test.core));

  const allow = async () => {
    const { db } = test.core.database;
    const row = { ...named, token: sealed, tokenUntil: 1, createdAt: 0 };
    const target = [toolAuthorizations.toolId, toolAuthorizations.userId];
    await db
      .insert(toolAuthorizations)
      .values(row)
      .onConflictDoUpdate({ target, set: { token: sealed } });
  };
  const putAside = () => test.core.database.db.update(toolAuthorizations).set({ token: null });
  /** The user comes back: as `completeToolAuthorization` does. */
  const comeBack = async () => {
    await allow();
    const workspaceId = context.caller.workspace.id;
    const resumed = { userId: named.userId, toolSid, workspaceId };
    await inTransaction(test.core, ({ db, afterCommit }) =>
      resumeWaitingTurns(db, resumed, afterCommit),
    );
  };
  /** A turn whose step has called the tool that often, with the runs of the calls. */
  const call = async (count = 1) => {
    await allow();
    const { conversation } = await createTestConversation(context, ["ann"]);
    const [claimed] = await claimTestTurns(test.core);
    const { run, turn } = claimed!;
    const calls = Array.from({ length: count }, (_, index) => ({
      id: `c${index}`,
      name: "shop__find",
      params: { text: "a" },
    }));
    const step = { run, turn, step: 0, calls, events: [], chainOfThought: null };
    await saveStep(test.core, { ...step, rawContents: [{ step: 0, content: "" }] });
    const made = (await claimRuns(test.core, claim)).filter(({ kind }) => kind === "invocation");
    expect(made).toHaveLength(count);
    return { cId: conversation.sId, mId: run.logId, runs: made };
  };
  const claimCalls = async () =>
    (await claimRuns(test.core, claim)).filter(({ kind }) => kind === "invocation");
  const settle = async (options: { giveUp?: boolean } = {}) => {
    const [resumed] = await claimTestTurns(test.core);
    return settleCalls(test.core, { ...resumed!, ...options });
  };
  const readCalls = () =>
    test.core.database.db
      .select({ status: invocations.status, attempt: runs.attempt, run: runs.status })
      .from(invocations)
      .innerJoin(runs, eq(runs.logId, invocations.sid))
      .orderBy(asc(invocations.id));
  const typesOf = async (logId: string) =>
    (await readTestLog(test.core, logId)).map(({ type }) => type);

  it("wait until their user has come back, and are then made in the same invocations", async () => {
    const { mId, cId, runs: made } = await call(2);
    await putAside();
    for (const run of made) expect(await awaitPermission(test.core, run)).toBe(true);
    expect(await claimCalls()).toEqual([]);
    for (const logId of [mId, cId]) {
      const types = (await typesOf(logId)).filter((type) => type === "tool_personal_auth_required");
      expect(types).toHaveLength(2);
    }
    await comeBack();
    expect(await settle()).toBeNull();
    const again = await claimCalls();
    expect(again.map(({ logId }) => logId)).toEqual(made.map(({ logId }) => logId));
    expect(again).toMatchObject([{ attempt: 2, exhausted: false }, { exhausted: false }]);
    expect(await readCalls()).toHaveLength(2);
  });

  it("are made again without those of their step that have ended", async () => {
    const { runs: made } = await call(2);
    const [refused, done] = made;
    const result = { content: [], isError: false, generatedFiles: [] };
    const outcome = { status: "succeeded", result } as const;
    const loaded = await loadInvocation(test.core, done!);
    const end = { ...loaded, run: done!, outcome, events: [], lastSeq: done!.lastSeq };
    await finishInvocations(test.core, [end]);
    await putAside();
    await awaitPermission(test.core, refused!);
    await comeBack();
    expect(await settle()).toBeNull();
    expect(await claimCalls()).toMatchObject([{ logId: refused!.logId, exhausted: false }]);
    expect(await readCalls()).toMatchObject([
      { status: "created", attempt: 2 },
      { status: "succeeded", attempt: 1, run: "finished" },
    ]);
  });

  it("are made at once if the user has allowed more in the meantime", async () => {
    const { mId, runs: made } = await call();
    expect(await awaitPermission(test.core, made[0]!)).toBe(true);
    expect(await typesOf(mId)).not.toContain("tool_personal_auth_required");
    expect(await claimCalls()).toMatchObject([{ attempt: 2, exhausted: false }]);
  });

  it("end if they are refused again", async () => {
    const { runs: made } = await call();
    await awaitPermission(test.core, made[0]!);
    const [again] = await claimCalls();
    await putAside();
    expect(await awaitPermission(test.core, again!)).toBe(false);
    await expect(awaitPermission(test.core, made[0]!)).rejects.toThrow(LostLease);
    expect(await readCalls()).toMatchObject([{ status: "created", run: "running" }]);
  });

  it("stay where they are over a restart", async () => {
    const { runs: made } = await call();
    await putAside();
    await awaitPermission(test.core, made[0]!);
    await voidClaims(test.core);
    await wakeSuspendedRuns(test.core, 10);
    expect(await claimCalls()).toEqual([]);
  });

  it.each([
    ["dies", () => expireTestLeases(test.core)],
    [
      "stops",
      ({ logId }: { logId: string }) =>
        handBackRuns(test.core, { workerId: "test", logIds: [logId], begun: true }),
    ],
  ])("are not made a third time if the worker of the second %s", async (_how, end) => {
    const { runs: made } = await call();
    await awaitPermission(test.core, made[0]!);
    const [unbegun] = await claimCalls();
    await handBackRuns(test.core, { workerId: "test", logIds: [unbegun!.logId], begun: false });
    const [again] = await claimCalls();
    expect(again?.exhausted).toBe(false);
    await end(again!);
    const taken = [...(await takeOverRuns(test.core, claim)), ...(await claimCalls())];
    expect(taken).toMatchObject([{ logId: again!.logId, exhausted: true }]);
  });

  it("are made if the user comes back while a worker loads their turn", async () => {
    const { runs: made } = await call(2);
    await putAside();
    await awaitPermission(test.core, made[0]!);
    await comeBack();
    const [resumed] = await claimTestTurns(test.core);
    await putAside();
    await awaitPermission(test.core, made[1]!);
    await comeBack();
    expect(await settleCalls(test.core, resumed!)).toBeNull();
    expect(await claimCalls()).toMatchObject([{ logId: made[0]!.logId }]);
    expect(await wakeSuspendedRuns(test.core, 10)).toBe(1);
    expect(await settle()).toBeNull();
    expect(await claimCalls()).toMatchObject([{ logId: made[1]!.logId }]);
    expect(await wakeSuspendedRuns(test.core, 10)).toBe(0);
  });

  it("are denied and cancelled if nobody comes back", async () => {
    const { mId, runs: made } = await call();
    await putAside();
    await awaitPermission(test.core, made[0]!);
    await test.core.database.db
      .update(runs)
      .set({ status: "waiting", runAfter: new Date(0) })
      .where(eq(runs.logId, mId));
    const settled = await settle({ giveUp: true });
    expect(settled?.actions).toMatchObject([{ status: "denied" }]);
    expect(await readCalls()).toMatchObject([{ status: "errored", run: "finished" }]);
  });
});
