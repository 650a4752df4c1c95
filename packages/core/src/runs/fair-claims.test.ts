import { runs, sandboxFunctionVersions } from "@parley/db";
import { and, eq, inArray, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { clearRuns, insertTestFunction, insertTestWorkspace } from "../../testing/testing.ts";
import type { RunRow } from "../data-access/rows.ts";
import { claimInvocations } from "../invocations/claim-invocations.ts";
import { claimTurns } from "../turns/claim-turns.ts";
import type { ClaimedRun } from "./claim-parts.ts";

describe("fair claims", () => {
  const test = coreTest();
  beforeEach(() => clearRuns(test.core));

  const db = () => test.core.database.db;
  /** A workspace with functions that may run `maxConcurrent` at once. */
  const insertWorkspace = async (...maxConcurrent: number[]) => {
    const workspace = await insertTestWorkspace(test.core);
    const functionIds = [];
    for (const [index, max] of maxConcurrent.entries()) {
      const { id } = await insertTestFunction(test.core, workspace, { slug: `f-${index}` });
      await db()
        .update(sandboxFunctionVersions)
        .set({ maxConcurrent: max })
        .where(eq(sandboxFunctionVersions.functionId, id));
      functionIds.push(id);
    }
    return { workspaceId: workspace.id, functionIds };
  };
  const add = async (count: number, run: Partial<RunRow> & Pick<RunRow, "workspaceId">) => {
    const { workspaceId, kind = "invocation", functionId = null, status = "waiting" } = run;
    await db().execute(sql`
        with numbers as (
          select md5(random()::text || number) as id from generate_series(1, ${count}::int) number
        ),
        log as (insert into logs (id, last_seq, fence) select id, 0, 0 from numbers)
        insert into runs (log_id, kind, workspace_id, subject_id, function_id, status, priority,
          attempt, max_attempts, run_after, created_at)
        select id, ${kind}, ${workspaceId}, 0, ${functionId}::bigint, ${status}, 0, 0, 1, now(), 0
        from numbers`);
  };
  const finish = (some: readonly ClaimedRun[]) =>
    db()
      .update(runs)
      .set({ status: "finished" })
      .where(
        inArray(
          runs.logId,
          some.map((run) => run.logId),
        ),
      );
  const worker = { workerId: "one", leaseMs: 60_000, after: 0 };
  const claim = async (limit: number, perWorkspace = 100) =>
    (await claimInvocations(test.core, { ...worker, limit, perWorkspace })).runs;

  /**
   * Plays a worker with 20 places of which 5 become free at a time; tells how many runs end until
   * all of the workspace have.
   */
  const countEnds = async (workspaceId: number, kind: RunRow["kind"]): Promise<number> => {
    let held: ClaimedRun[] = [];
    const left = () =>
      db().$count(runs, and(eq(runs.workspaceId, workspaceId), sql`status <> 'finished'`));
    for (let ends = 0; ; ends += 5) {
      if (ends > 0 && (await left()) === 0) return ends;
      const options = { ...worker, limit: 20 - held.length };
      const ofWorkspaces = Map.groupBy(held, (run) => run.workspaceId)
        .entries()
        .map(([id, some]) => [id, some.length] as const);
      const { runs: claimed } =
        kind === "invocation"
          ? await claimInvocations(test.core, { ...options, perWorkspace: 100 })
          : await claimTurns(test.core, {
              ...options,
              perWorkspace: 100,
              held: new Map(ofWorkspaces),
            });
      held = [...held, ...claimed];
      await finish(held.slice(0, 5));
      held = held.slice(5);
    }
  };

  it.each(["invocation", "agent_turn"] as const)(
    "ends a tenant's 50 after another's 5,000 after at most 3 times as many (%s)",
    async (kind) => {
      const flooding = await insertWorkspace(100);
      const other = await insertWorkspace(100);
      const of = ({ workspaceId, functionIds }: typeof other) => ({
        workspaceId,
        kind,
        functionId: kind === "invocation" ? functionIds[0]! : null,
      });
      await add(50, of(other));
      const usual = await countEnds(other.workspaceId, kind);
      await clearRuns(test.core);
      await add(5000, of(flooding));
      // All places are taken when the other's come.
      await claim(20);
      await add(50, of(other));
      expect(await countEnds(other.workspaceId, kind)).toBeLessThanOrEqual(3 * usual);
    },
  );

  it("claims no more of a function than may run at once, and says that more wait", async () => {
    const { workspaceId, functionIds } = await insertWorkspace(3);
    await add(5, { workspaceId, functionId: functionIds[0]! });
    const options = { ...worker, limit: 10, perWorkspace: 100 };
    const first = await claimInvocations(test.core, options);
    expect(first).toMatchObject({ more: true, after: 0 });
    expect(first.runs).toHaveLength(3);
    expect(await claimInvocations(test.core, options)).toEqual({
      runs: [],
      more: true,
      after: 0,
    });
    await finish(first.runs);
    const rest = await claimInvocations(test.core, options);
    expect(rest.runs).toHaveLength(2);
    expect(rest.more).toBe(false);
  });

  it("skips a function at its limit for what waits after it", async () => {
    const { workspaceId, functionIds } = await insertWorkspace(1, 1);
    await add(500, { workspaceId, functionId: functionIds[0]! });
    await add(2, { workspaceId, functionId: functionIds[1]! });
    expect(await claim(10)).toHaveLength(2);
    expect(await claim(10)).toEqual([]);
  });

  it("claims no more of a workspace than may run at once, whatever its functions allow", async () => {
    const { workspaceId, functionIds } = await insertWorkspace(10, 10);
    for (const functionId of functionIds) await add(10, { workspaceId, functionId });
    expect(await claim(50, 12)).toHaveLength(12);
    expect(await claim(50, 12)).toEqual([]);
    const other = await insertWorkspace(10);
    await add(3, { workspaceId: other.workspaceId, functionId: other.functionIds[0]! });
    expect(await claim(50, 12)).toHaveLength(3);
  });

  it("lets no worker hold more turns of a workspace than it may, and says that more wait", async () => {
    const { workspaceId } = await insertWorkspace();
    const other = await insertWorkspace();
    await add(10, { workspaceId, kind: "agent_turn" });
    await add(2, { workspaceId: other.workspaceId, kind: "agent_turn" });
    const take = async (held: number) => {
      const options = { ...worker, limit: 20, perWorkspace: 4 };
      const claimed = await claimTurns(test.core, {
        ...options,
        held: new Map([[workspaceId, held]]),
      });
      const ours = claimed.runs.filter((run) => run.workspaceId === workspaceId);
      const { more, full } = claimed;
      return { ours: ours.length, others: claimed.runs.length - ours.length, more, full };
    };
    const left = { more: true, full: [workspaceId] };
    expect(await take(1)).toEqual({ ours: 3, others: 2, ...left });
    expect(await take(4)).toEqual({ ours: 0, others: 0, ...left });
    expect(await take(0)).toEqual({ ours: 4, others: 0, ...left });
    expect(await take(0)).toEqual({ ours: 3, others: 0, more: false, full: [] });
  });

  it("counts what runs although its lease has ended", async () => {
    const { workspaceId, functionIds } = await insertWorkspace(1);
    await add(2, { workspaceId, functionId: functionIds[0]! });
    const expired = { ...worker, leaseMs: -1, limit: 5, perWorkspace: 100 };
    expect((await claimInvocations(test.core, expired)).runs).toHaveLength(1);
    expect(await claim(5)).toEqual([]);
  });

  it("keeps the limits when three workers claim at once", async () => {
    const { workspaceId, functionIds } = await insertWorkspace(7, 4);
    for (const functionId of functionIds) await add(60, { workspaceId, functionId });
    const count = () =>
      db()
        .select({ id: runs.functionId, running: sql<number>`count(*)::int` })
        .from(runs)
        .where(eq(runs.status, "running"))
        .groupBy(runs.functionId);
    const seen = new Map<number, number>();
    let together = 0;
    let ended = 0;
    const work = async () => {
      while (ended < 120) {
        const claimed = await claim(5, 9);
        const counts = await count();
        for (const { id, running } of counts) {
          seen.set(id!, Math.max(seen.get(id!) ?? 0, running));
        }
        together = Math.max(
          together,
          counts.reduce((sum, { running }) => sum + running, 0),
        );
        await finish(claimed);
        ended += claimed.length;
      }
    };
    await Promise.all([work(), work(), work()]);
    expect(seen.get(functionIds[0]!)).toBeLessThanOrEqual(7);
    expect(seen.get(functionIds[1]!)).toBeLessThanOrEqual(4);
    expect(together).toBeLessThanOrEqual(9);
    expect(ended).toBe(120);
  });

  it("looks at some of many workspaces at a time, and continues after them", async () => {
    for (let count = 0; count < 70; count++) {
      await add(1, { workspaceId: 1_000_000 + count, kind: "agent_turn" });
    }
    const options = { ...worker, limit: 100, perWorkspace: 100, held: new Map() };
    const first = await claimTurns(test.core, options);
    expect(first.runs).toHaveLength(64);
    const rest = await claimTurns(test.core, { ...options, after: first.after });
    expect(rest).toMatchObject({ after: 0, more: false });
    expect(rest.runs).toHaveLength(6);
  });
});
