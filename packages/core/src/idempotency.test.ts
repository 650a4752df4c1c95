import { idempotencyKeys } from "@parley/db";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../testing/core-test.ts";
import { refusalOf } from "../testing/operator.ts";
import type { CoreContext } from "./create-core.ts";
import {
  findIdempotencyKey,
  inTransactionOnce,
  KEY_RETENTION_MS,
  once,
  scopeOfKey,
  sweepIdempotencyKeys,
} from "./idempotency.ts";

describe("an Idempotency-Key", () => {
  const test = workspaceTest({ per: "suite" });

  const db = () => test.core.database.db;

  /** A request with a key to a process of its own, which knows of no other. */
  const openRequest = ({ scope }: { scope: string | undefined } = { scope: "scope" }) => {
    const told: string[] = [];
    const context: CoreContext = {
      ...test.core,
      ...test.context,
      idempotencyReservations: new Map(),
      idempotencyKey: {
        scope,
        stored: undefined,
        onReplay: () => told.push("replay"),
        onRelease: () => told.push("release"),
      },
    };
    const run = (
      made: string,
      { input = {}, work = async () => {} }: { input?: unknown; work?: () => Promise<void> } = {},
    ) =>
      once(context, input, {
        make: async (claiming) => {
          await inTransactionOnce(claiming, { id: made }, work);
          return `made ${made}`;
        },
        replay: async (before) => `replay of ${before}`,
      });
    return { context, run, told };
  };
  const make = (...options: Parameters<ReturnType<typeof openRequest>["run"]>) =>
    openRequest().run(...options);

  it("makes once, and then replays what has the same input", async () => {
    const first = openRequest();
    expect(await first.run("a", { input: { x: [1, { y: 2, z: null }] } })).toBe("made a");
    expect(first.told).toEqual(["release"]);
    expect(first.context.idempotencyReservations.size).toBe(0);
    const again = openRequest();
    expect(await again.run("b", { input: { x: [1, { z: null, y: 2 }] } })).toBe("replay of a");
    expect(again.told).toEqual(["release", "replay"]);
    for (const input of [{ x: [{ y: 2, z: null }, 1] }, { x: [1, { y: 2 }] }, { x: [1] }, {}]) {
      expect(await refusalOf(make("c", { input }))).toBe("422 idempotency_key_mismatch");
    }
  });

  it("lets no other process make it in the meantime, nor wait for its transaction", async () => {
    const begun = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const work = async () => {
      begun.resolve();
      await commit.promise;
    };
    const first = make("a", { work });
    await begun.promise;
    const second = make("b");
    expect(await refusalOf(second)).toBe("409 idempotency_key_in_use");
    commit.resolve();
    expect(await first).toBe("made a");
    expect(await make("c")).toBe("replay of a");
  });

  it("is refused to other requests of the process before the database is asked", async () => {
    const { context, run } = openRequest();
    const other = { make: () => Promise.reject(new Error()), replay: () => Promise.reject() };
    let refusal = "";
    await run("a", {
      work: async () => {
        refusal = await refusalOf(once(context, {}, other));
      },
    });
    expect(refusal).toBe("409 idempotency_key_in_use");
  });

  it("is free again when nothing was made", async () => {
    const work = () => Promise.reject(new Error("It broke"));
    expect(await refusalOf(make("a", { work }))).toContain("It broke");
    expect(await db().$count(idempotencyKeys)).toBe(0);
    expect(await make("b")).toBe("made b");
  });

  it("is refused when it is malformed, before a transaction is begun", async () => {
    let hasBegun = false;
    const work = async () => void (hasBegun = true);
    const refusal = await refusalOf(openRequest({ scope: undefined }).run("a", { work }));
    expect([refusal, hasBegun]).toEqual(["400 invalid_request_error", false]);
  });

  it("is never ignored: what is made without keeping it is an error", async () => {
    const { context } = openRequest();
    const answer = { make: async () => "made", replay: async () => "" };
    expect(await refusalOf(once(context, {}, answer))).toContain("outside of inTransactionOnce");
  });

  it("counts for 24 hours, swept or not", async () => {
    const key = { workspaceId: test.workspace.id, scope: "scope" };
    await make("a");
    test.clock.now += KEY_RETENTION_MS - 1;
    expect(await findIdempotencyKey(test.core, key)).toMatchObject({ createdId: "a" });
    expect(await make("b")).toBe("replay of a");
    test.clock.now += 1;
    expect(await findIdempotencyKey(test.core, key)).toBeUndefined();
    expect(await make("b")).toBe("made b");
    expect(await make("c")).toBe("replay of b");
    expect(await findIdempotencyKey(test.core, { ...key, workspaceId: -1 })).toBeUndefined();
  });

  it("is swept when it is old, a thousand at a time", async () => {
    const now = test.core.now();
    await db().execute(sql`insert into idempotency_keys
        select ${test.workspace.id}::bigint, 'old ' || n, '', '', ${now - KEY_RETENTION_MS}::bigint - n
        from generate_series(0, 1499) n`);
    await make("a");
    expect(await sweepIdempotencyKeys(test.core)).toBe(1000);
    expect(await sweepIdempotencyKeys(test.core)).toBe(500);
    expect(await sweepIdempotencyKeys(test.core)).toBe(0);
    expect(await make("b")).toBe("replay of a");
  });
});

describe("scopeOfKey", () => {
  const parts = { caller: "a", route: "/r/{p}", params: { p: "1" }, key: "k" };

  it.each([{ caller: "b" }, { route: "/r/{q}" }, { params: { p: "2" } }, { key: "K" }])(
    "is another with %j",
    (other) => {
      expect(scopeOfKey({ ...parts, ...other })).not.toBe(scopeOfKey(parts));
    },
  );
});
