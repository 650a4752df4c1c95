import { auditEvents } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { Caller } from "../context.ts";
import { type AuditedMutation, actorOf } from "./audited-mutations.ts";
import { createRefusedMutations, type RefusedMutation } from "./refused-mutations.ts";

describe("refused mutations", () => {
  const test = coreTest();

  /** The refusals of a workspace of their own, and what is written of them. */
  async function open() {
    const { caller } = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const workspaceId = caller.workspace.sid;
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const refused = createRefusedMutations(test.core, { onError, windowMs: 60_000 });
    const refusalOf = (by: Caller, number: number): RefusedMutation => {
      const mutation: AuditedMutation = {
        action: "apiKeys.revoke",
        actor: actorOf(by),
        workspaceId,
        subjectId: `key_${number}`,
        clientIp: "192.0.2.1",
        requestId: `request ${number}`,
        recorded: false,
      };
      return { caller: by, mutation, outcome: "app_auth_error" };
    };
    return {
      ...refused,
      caller,
      errors,
      refuse: async (times: number, by: Caller = caller) => {
        for (let number = 0; number < times; number++) {
          await refused.record(refusalOf(by, number));
        }
      },
      written: () =>
        test.core.database.db
          .select()
          .from(auditEvents)
          .where(eq(auditEvents.workspaceId, workspaceId))
          .orderBy(asc(auditEvents.id)),
    };
  }

  it("have a row each, at once, until there are too many, and are counted from then on", async () => {
    const { refuse, flush, written, caller, errors } = await open();
    await refuse(3000);
    const atOnce = await written();
    expect(atOnce).toHaveLength(100);
    expect(atOnce[99]).toMatchObject({ subjectId: "key_99", requestId: "request 99", count: 1 });
    await flush();
    const [counted, ...others] = (await written()).slice(100);
    expect(others).toEqual([]);
    expect(counted).toMatchObject({
      action: "apiKeys.revoke",
      actorId: caller.apiKey.sid,
      subjectId: null,
      clientIp: null,
      requestId: null,
      outcome: "app_auth_error",
      count: 2900,
    });
    // Another window has rows of its own again.
    await refuse(1);
    expect(await written()).toHaveLength(102);
    expect(errors).toEqual([]);
  });

  it("have a bounded number of rows however many keys they come from", async () => {
    const { refuse, flush, written, caller } = await open();
    for (let key = 0; key < 300; key++) {
      const apiKey = { ...caller.apiKey, sid: `key_of_many_${key}` };
      await refuse(2, { ...caller, apiKey });
    }
    await flush();
    const rows = await written();
    expect(rows).toHaveLength(201);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(600);
    expect(rows.at(-1)).toMatchObject({ actorId: null, action: "apiKeys.revoke" });
  });

  it("of one workspace take nothing of what another may have", async () => {
    const [attacker, bystander] = [await open(), await open()];
    await attacker.refuse(500);
    await bystander.refuse(1);
    expect(await bystander.written()).toHaveLength(1);
  });

  it("are all there, one by one, if they are an operator's", async () => {
    const { refuse, written, caller } = await open();
    await refuse(150, { kind: "operator", apiKey: caller.apiKey });
    expect(await written()).toHaveLength(150);
  });

  it("are written when the process ends", async () => {
    const { refuse, close, written } = await open();
    await refuse(102);
    await close();
    const last = (await written()).at(-1);
    expect(last).toMatchObject({ subjectId: null, count: 2 });
  });
});
