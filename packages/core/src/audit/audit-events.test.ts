import { auditEvents } from "@parley/db";
import { type AuditPage, endpoints, type InputOf, parseInput } from "@parley/schema";
import { asc, eq, inArray, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace } from "../../testing/testing.ts";
import type { CoreRequest } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { listAuditEvents, sweepAuditLog } from "./audit-events.ts";

const DAY_MS = 86_400_000;

type Row = typeof auditEvents.$inferInsert;

describe("the audit log", () => {
  const test = workspaceTest({ per: "suite", role: "admin", keepRuns: true });
  let foreign: WorkspaceRow;
  beforeAll(async () => {
    foreign = await insertTestWorkspace(test.core);
  });

  const db = () => test.core.database.db;
  const add = async (...rows: Partial<Row>[]): Promise<number[]> => {
    const whole = { at: test.clock.now, action: "test.mutation", outcome: "succeeded" };
    const added = await db()
      .insert(auditEvents)
      .values(rows.map((row) => ({ ...whole, ...row })))
      .returning({ id: auditEvents.id });
    return added.map(({ id }) => id).toSorted((one, other) => one - other);
  };
  const list = (by: CoreRequest, input: InputOf<(typeof endpoints)["audit.list"]>) =>
    listAuditEvents(by, parseInput(endpoints["audit.list"], input));
  const idsOf = async (by: CoreRequest, input: Parameters<typeof list>[1]) =>
    (await list(by, input)).auditEvents.map(({ id }) => id);

  it("shows a workspace's key what is of its workspace, and operators everything", async () => {
    const [own = 0, others = 0, servers = 0] = await add(
      { workspaceId: test.workspaceId, action: "scope" },
      { workspaceId: foreign.sid, action: "scope" },
      { workspaceId: null, action: "scope" },
    );
    const action = "scope";
    for (const workspaceId of [test.workspaceId, foreign.sid, undefined]) {
      expect(await idsOf(test.context, { wId: workspaceId, action })).toEqual([own]);
    }
    expect(await idsOf(test.operator.context, { action })).toEqual([servers, others, own]);
    expect(await idsOf(test.operator.context, { action, wId: foreign.sid })).toEqual([others]);
  });

  it("shows no name of a secret, which earlier versions recorded", async () => {
    const actions = ["functionSecrets.put", "functionSecrets.remove", "agents.archive"];
    for (const action of actions) {
      const whole = { workspaceId: test.workspaceId, action };
      await add({ ...whole, subjectId: "pasted_4eC39" }, { ...whole, subjectId: "17" });
    }
    const shown = async (action: string) =>
      (await list(test.context, { action })).auditEvents.map(({ subjectId }) => subjectId);
    expect(await Promise.all(actions.map(shown))).toEqual([
      ["17", null],
      ["17", null],
      ["17", "pasted_4eC39"],
    ]);
  });

  it("knows a workspace as long as it speaks of it", async () => {
    expect(await refusalOf(list(test.operator.context, { wId: "unknown" }))).toBe(
      "404 workspace_not_found",
    );
    expect(
      (await list(test.operator.context, { wId: test.workspaceId, action: "none" })).auditEvents,
    ).toEqual([]);
    const ids = await add({ workspaceId: "deleted" });
    expect(await idsOf(test.operator.context, { wId: "deleted" })).toEqual(ids);
    const other = { wId: "deleted", action: "other" };
    expect(await idsOf(test.operator.context, other)).toEqual([]);
  });

  it("shows all that is recorded, with its actor", async () => {
    const [id = 0] = await add({
      workspaceId: test.workspaceId,
      actorId: "key_x",
      actorName: "The key",
      action: "shown",
      subjectId: "subject",
      route: "GET /x",
      clientIp: "192.0.2.1",
      requestId: "request",
      count: 3,
    });
    const { auditEvents: shown } = await list(test.context, { action: "shown" });
    expect(shown).toEqual([
      {
        id,
        at: test.clock.now,
        workspaceId: test.workspaceId,
        actor: { id: "key_x", name: "The key" },
        action: "shown",
        subjectId: "subject",
        route: "GET /x",
        clientIp: "192.0.2.1",
        requestId: "request",
        outcome: "succeeded",
        count: 3,
      },
    ]);
    expect(endpoints["audit.list"].output.shape.auditEvents.parse(shown)).toEqual(shown);
    await add({ workspaceId: test.workspaceId, action: "nobody's" });
    const [nobodys] = (await list(test.context, { action: "nobody's" })).auditEvents;
    expect(nobodys).toMatchObject({ actor: null, clientIp: null, route: null });
  });

  it.each([
    [{ action: "two" }, [1]],
    [{ actor: "key_a" }, [2, 0]],
    [{ outcome: "app_auth_error" }, [3, 2]],
    [{ since: 2000 }, [3, 2, 1]],
    [{ until: 2000 }, [0]],
    [{ since: 2000, until: 3000 }, [2, 1]],
    [{ actor: "key_a", outcome: "succeeded" }, [0]],
    [{ actor: "key_a", since: 9000 }, []],
  ])("filters by %j", async (filter, expected) => {
    const workspace = await insertTestWorkspace(test.core);
    const workspaceId = workspace.sid;
    const ids = await add(
      { workspaceId, at: 1000, action: "one", actorId: "key_a" },
      { workspaceId, at: 2000, action: "two", actorId: "key_b" },
      { workspaceId, at: 2999, action: "one", actorId: "key_a", outcome: "app_auth_error" },
      { workspaceId, at: 3000, action: "one", actorId: "key_b", outcome: "app_auth_error" },
    );
    const found = await idsOf(test.operator.context, { wId: workspaceId, ...filter });
    expect(found).toEqual(expected.map((index) => ids[index]));
  });

  it("is paged from the newest to the oldest, whatever comes in the meantime", async () => {
    const workspace = await insertTestWorkspace(test.core);
    const workspaceId = workspace.sid;
    const rows = Array.from({ length: 23 }, () => ({ workspaceId }));
    const ids = await add(...rows);
    const seen: number[] = [];
    const sizes: number[] = [];
    let page: AuditPage | undefined;
    do {
      const { lastValue }: Partial<AuditPage> = page ?? {};
      page = await list(test.operator.context, { wId: workspaceId, lastValue, limit: 5 });
      seen.push(...page.auditEvents.map(({ id }) => id));
      sizes.push(page.auditEvents.length);
      await add({ workspaceId }, { workspaceId: foreign.sid });
    } while (page.hasMore);
    expect(seen).toEqual(ids.toReversed());
    expect(sizes).toEqual([5, 5, 5, 5, 3]);
    expect((await list(test.operator.context, { wId: workspaceId, limit: 28 })).hasMore).toBe(
      false,
    );
    expect((await list(test.operator.context, { wId: workspaceId, limit: 27 })).hasMore).toBe(true);
  });

  it.each([{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { lastValue: "x" }, { since: "x" }])(
    "refuses %j",
    async (input) => {
      const parse = () => parseInput(endpoints["audit.list"], input);
      expect(parse).toThrow(`Invalid query parameters: ${Object.keys(input)[0]}`);
    },
  );

  it("lets nobody change or delete what it holds", async () => {
    const [id = 0] = await add({ subjectId: "kept" });
    const changes = [
      sql`update audit_events set outcome = 'x' where id = ${id}`,
      sql`delete from audit_events where id = ${id}`,
      sql`truncate audit_events`,
    ];
    for (const change of changes) {
      await expect(db().execute(change)).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/^audit_events is append-only/) as string },
      });
    }
    const [row] = await db().select().from(auditEvents).where(eq(auditEvents.id, id));
    expect(row).toMatchObject({ subjectId: "kept", outcome: "succeeded" });
  });

  it("is swept of what is too old, in batches, and of nothing else", async () => {
    const old = test.clock.now - 30 * DAY_MS - 1;
    const kept = await db().select({ id: auditEvents.id }).from(auditEvents);
    const young = await add({ at: old + 1 }, { at: old + DAY_MS });
    for (let batch = 0; batch < 3; batch++) {
      await add(...Array.from({ length: 700 }, () => ({ at: old })));
    }
    // What the filters wrote is at the beginning of time.
    const ancient = await db().$count(auditEvents, sql`${auditEvents.at} < ${old}`);
    const swept: number[] = [];
    const sweep = async () => {
      swept.push(await sweepAuditLog(test.core, { retentionMs: 30 * DAY_MS }));
      return swept.at(-1);
    };
    while ((await sweep()) !== 0);
    expect(swept).toEqual([1000, 1000, 100 + ancient, 0]);
    expect(await db().$count(auditEvents, inArray(auditEvents.id, young))).toBe(2);
    const left = await db()
      .select({ id: auditEvents.id })
      .from(auditEvents)
      .orderBy(asc(auditEvents.id));
    expect(left).toHaveLength(kept.length - ancient + 2);
    // The leave to delete ended with the sweep's transactions.
    const stillKept = db().execute(sql`delete from audit_events where at <= ${old + 1}`);
    expect(await refusalOf(stillKept)).toContain("Failed query");
  });
});
