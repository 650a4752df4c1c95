import { auditEvents } from "@parley/db";
import { asc, desc, sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { Caller } from "../context.ts";
import { createRefusedCredentials, type RefusedCredential } from "./refused-credentials.ts";

describe("refused credentials", () => {
  const test = coreTest();
  let caller: Caller;
  let before = 0;
  beforeAll(async () => {
    ({ caller } = await openTestContext(test.core, await insertTestWorkspace(test.core)));
  });
  beforeEach(async () => {
    const [newest] = await db().select().from(auditEvents).orderBy(desc(auditEvents.id)).limit(1);
    before = newest?.id ?? 0;
  });

  const db = () => test.core.database.db;
  const written = () =>
    db()
      .select()
      .from(auditEvents)
      .where(sql`${auditEvents.id} > ${before}`)
      .orderBy(asc(auditEvents.id));
  const open = (windowMs = 60_000) => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    return { errors, ...createRefusedCredentials(test.core, { onError, windowMs }) };
  };
  const refusal: RefusedCredential = {
    type: "invalid_api_key_error",
    clientIp: "192.0.2.1",
    route: "GET /x",
    requestId: "first",
    caller: undefined,
  };

  it("are counted by client IP, type and key, with the first time, route and request", async () => {
    const refused = open();
    refused.note(refusal);
    const at = test.clock.now;
    test.clock.now += 7;
    refused.note({ ...refusal, requestId: "second", route: "GET /y" });
    refused.note({ ...refusal, type: "not_authenticated" });
    refused.note({ ...refusal, clientIp: "192.0.2.2" });
    refused.note({ ...refusal, caller });
    refused.note({ ...refusal, caller });
    refused.note({ ...refusal, caller: { kind: "operator", apiKey: caller.apiKey } });
    expect(await written()).toEqual([]);
    await refused.close();
    const rows = await written();
    const { sid: keyId } = caller.apiKey;
    const workspaceId = caller.kind === "workspace" ? caller.workspace.sid : "";
    expect(rows).toHaveLength(4);
    expect(rows).toMatchObject([
      {
        at,
        workspaceId: null,
        actorId: null,
        actorName: null,
        action: "credentials.refused",
        subjectId: null,
        route: "GET /x",
        clientIp: "192.0.2.1",
        requestId: "first",
        outcome: "invalid_api_key_error",
        count: 2,
      },
      { outcome: "not_authenticated", count: 1 },
      { clientIp: "192.0.2.2", count: 1 },
      { subjectId: keyId, workspaceId, count: 3 },
    ]);
  });

  it("of an operator's key are of no workspace", async () => {
    const refused = open();
    refused.note({ ...refusal, caller: { kind: "operator", apiKey: caller.apiKey } });
    await refused.close();
    const { sid: keyId } = caller.apiKey;
    expect(await written()).toMatchObject([{ workspaceId: null, subjectId: keyId }]);
  });

  it("are written by themselves at the end of each window", async () => {
    const refused = open(20);
    for (const requestId of ["one", "two"]) {
      refused.note({ ...refusal, requestId });
      const last = async () => (await written()).at(-1)?.requestId;
      await expect.poll(last, { interval: 10 }).toBe(requestId);
    }
    await refused.close();
    expect(await written()).toHaveLength(2);
  });

  it("of a flood become a bounded number of rows that count all of them", async () => {
    const refused = open();
    const types = ["not_authenticated", "invalid_api_key_error"] as const;
    for (let n = 0; n < 50_000; n++) {
      const clientIp = `2001:db8::${n.toString(16)}`;
      refused.note({ ...refusal, clientIp, type: types[n % 2]! });
    }
    refused.note({ ...refusal, caller });
    await refused.close();
    const rows = await written();
    expect(rows.length).toBe(1 + 100 + types.length);
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(50_001);
    const nameless = rows.filter(({ clientIp }) => clientIp === null);
    expect(nameless).toMatchObject([
      { route: null, requestId: null, count: 24_950 },
      { route: null, requestId: null, count: 24_950 },
    ]);
    // What is known of the workspace's own keys is not crowded out.
    expect(rows.filter(({ subjectId }) => subjectId !== null)).toMatchObject([{ count: 1 }]);
  });

  it("that could not be written wait for the next time, and none is lost", async () => {
    const refused = open();
    await db().execute(sql`alter table audit_events rename to audit_events_away`);
    refused.note(refusal);
    await refused.flush();
    refused.note(refusal);
    await refused.flush();
    expect(refused.errors).toHaveLength(2);
    await db().execute(sql`alter table audit_events_away rename to audit_events`);
    refused.note(refusal);
    await refused.close();
    expect(refused.errors).toHaveLength(2);
    expect(await written()).toMatchObject([{ requestId: "first", count: 3 }]);
  });

  it("that come after the end begin no window", async () => {
    const refused = open();
    await refused.close();
    const begun = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => begun.mockRestore());
    refused.note(refusal);
    expect(begun).not.toHaveBeenCalled();
  });

  it("that come while others are written are written next", async () => {
    const refused = open();
    refused.note({ ...refusal, requestId: "one" });
    const writing = refused.flush();
    refused.note({ ...refusal, requestId: "two" });
    await writing;
    await refused.close();
    const requests = (await written()).map(({ requestId }) => requestId);
    expect(requests.slice(0, 1)).toEqual(["one"]);
    expect((await written()).reduce((sum, row) => sum + row.count, 0)).toBe(2);
  });
});
