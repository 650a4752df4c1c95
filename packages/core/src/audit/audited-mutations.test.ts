import { apiKeys, auditEvents, spaces, workspaces } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { deleteWorkspace } from "../delete-workspace.ts";
import { inTransaction } from "../log/transaction.ts";
import { createApiKey } from "../workspaces/api-keys.ts";
import { createSpace } from "../workspaces/spaces.ts";
import {
  type AuditedMutation,
  actorOf,
  recordCommand,
  recordRefusal,
} from "./audited-mutations.ts";

describe("mutations", () => {
  const test = workspaceTest({ per: "suite", role: "admin", keepRuns: true });

  const db = () => test.core.database.db;
  let requests = 0;
  const acting = (mutation: Partial<AuditedMutation> = {}) => {
    const opened: AuditedMutation = {
      action: "test.mutation",
      actor: actorOf(test.context.caller),
      workspaceId: test.workspaceId,
      subjectId: undefined,
      clientIp: "192.0.2.1",
      requestId: `request-${++requests}`,
      recorded: false,
      ...mutation,
    };
    return {
      mutation: opened,
      context: Object.assign(Object.create(test.context) as CoreContext, { mutation: opened }),
    };
  };
  const recordsOf = ({ requestId }: AuditedMutation) =>
    db()
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.requestId, requestId))
      .orderBy(asc(auditEvents.id));

  it("are recorded with who did what, to what, from where", async () => {
    const { mutation, context } = acting({ action: "apiKeys.create" });
    const workspaceId = test.workspaceId;
    const { apiKey } = await createApiKey(context, {
      wId: workspaceId,
      name: "new",
      role: "user",
      expiresAt: undefined,
      spaceIds: undefined,
    });
    expect(mutation.recorded).toBe(true);
    expect(await recordsOf(mutation)).toEqual([
      {
        id: expect.any(Number) as number,
        at: test.clock.now,
        workspaceId,
        actorId: test.context.caller.apiKey.sid,
        actorName: "test admin",
        action: "apiKeys.create",
        subjectId: apiKey.sId,
        route: null,
        clientIp: "192.0.2.1",
        requestId: mutation.requestId,
        outcome: "succeeded",
        count: 1,
      },
    ]);
  });

  it("that are rolled back leave no record of success", async () => {
    const { mutation, context } = acting();
    const refused = createSpace(context, {
      wId: test.workspaceId,
      name: "rolled back",
      isRestricted: undefined,
      keyIds: ["nobody"],
    });
    expect(await refusalOf(refused)).toBe("404 api_key_not_found");
    expect(mutation.recorded).toBe(false);
    expect(await recordsOf(mutation)).toEqual([]);
    expect(await db().$count(spaces, eq(spaces.name, "rolled back"))).toBe(0);
  });

  it("that cannot be recorded are not done", async () => {
    const insertSpace = (context: CoreContext, further: () => void) =>
      inTransaction(context, async (transaction) => {
        const { sid: _, id: __, ...values } = (await transaction.db.select().from(spaces))[0]!;
        const sid = test.core.newId("vlt");
        await transaction.db.insert(spaces).values({ ...values, sid, name: "unrecorded" });
        further();
      });
    const { mutation, context } = acting();
    await expect(insertSpace(context, () => {})).rejects.toThrow("does not name what it created");
    // A text that PostgreSQL cannot hold makes the record fail.
    const broken = acting({ subjectId: "a\u0000b" });
    await expect(insertSpace(broken.context, () => {})).rejects.toThrow("Failed query");
    expect(await db().$count(spaces, eq(spaces.name, "unrecorded"))).toBe(0);
    expect([...(await recordsOf(mutation)), ...(await recordsOf(broken.mutation))]).toEqual([]);
  });

  it("of several transactions are recorded once, with the first", async () => {
    const { mutation, context } = acting({ subjectId: "x" });
    for (let round = 0; round < 3; round++) await inTransaction(context, async () => {});
    expect(await recordsOf(mutation)).toMatchObject([{ subjectId: "x", outcome: "succeeded" }]);
  });

  it("tried again after a first transaction that failed are recorded once", async () => {
    const { mutation, context } = acting({ subjectId: "x" });
    const failed = inTransaction(context, () => Promise.reject(new Error("once")));
    await expect(failed).rejects.toThrow("once");
    await inTransaction(context, async () => {});
    expect(await recordsOf(mutation)).toHaveLength(1);
  });

  it("on a workspace stay recorded when it is deleted, its deletion included", async () => {
    const workspace = await insertTestWorkspace(test.core);
    const { context: by } = openTestOperator(test.core);
    const deletion = acting({ workspaceId: workspace.sid, subjectId: workspace.sid });
    const change = acting({ workspaceId: workspace.sid, subjectId: "x" });
    await inTransaction(change.context, async () => {});
    const context = Object.assign(Object.create(by) as typeof by, { mutation: deletion.mutation });
    await deleteWorkspace(context, { wId: workspace.sid });
    expect(await db().$count(workspaces, eq(workspaces.id, workspace.id))).toBe(0);
    const expected = [{ workspaceId: workspace.sid, outcome: "succeeded" }];
    expect(await recordsOf(deletion.mutation)).toMatchObject(expected);
    expect(await recordsOf(change.mutation)).toMatchObject(expected);
  });

  it("that were refused are of the workspace that was named, if there is such a one", async () => {
    const { mutation } = acting();
    await recordRefusal(test.core, mutation, "app_auth_error");
    const unknown = acting({ workspaceId: "nowhere", subjectId: "x" });
    await recordRefusal(test.core, unknown.mutation, "workspace_not_found");
    expect(await recordsOf(mutation)).toMatchObject([
      {
        workspaceId: test.workspaceId,
        subjectId: null,
        outcome: "app_auth_error",
      },
    ]);
    expect(await recordsOf(unknown.mutation)).toMatchObject([
      { workspaceId: null, subjectId: "x", outcome: "workspace_not_found" },
    ]);
  });

  it("of the command line are recorded without client IP and request", async () => {
    const { sid } = test.context.caller.apiKey;
    const workspaceId = test.workspaceId;
    await inTransaction(test.core, async ({ db: transaction }) => {
      await transaction.update(apiKeys).set({ name: "renamed" }).where(eq(apiKeys.sid, sid));
      const done = { action: "apiKeys.update", workspaceId, subjectId: sid };
      await recordCommand(test.core, transaction, done);
    });
    const rows = await db().select().from(auditEvents).where(eq(auditEvents.actorId, "cli"));
    expect(rows).toMatchObject([
      { action: "apiKeys.update", workspaceId, subjectId: sid, clientIp: null, requestId: null },
    ]);
  });
});
