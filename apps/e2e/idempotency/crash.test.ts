import { describe, expect, test } from "vitest";
import { type Database, idempotencyKeys } from "@parley/db";
import { openDatabase } from "../faults/stored-state.ts";
import { type Answer, type Request, send } from "../request.ts";
import { createPlace, openHostedServer, type Server, startServer } from "../server.ts";
import { conversationIn, createOf, createSender, isReplay, listIds } from "./keyed.ts";

// The interface: who lost the answer sends the request again, and gets what was made.

describe("a server", () => {
  test("a server that dies between commit and answer makes nothing twice", async () => {
    await using place = await createPlace();
    const settings = { PARLEY_LEASE_MS: "500" };
    // A process of its own, since it is killed.
    const killed = await startServer(place, settings);
    // It is committed, but answers only once the agent has, two seconds later.
    const request = createOf(() => killed, { blocking: true }, ["slowpoke"]);
    const lost = createSender(() => killed, "once")(request).catch(() => "lost");
    await expect.poll(async () => (await listIds(killed)).length, { interval: 5 }).toBe(1);
    const [made] = await listIds(killed);
    await killed.kill();
    expect(await lost).toBe("lost");

    await using server = await startServer(place, settings);
    const again = await createSender(() => server, "once")(request);
    expect(isReplay(again)).toBe(true);
    const { conversation } = conversationIn(again);
    expect(conversation.sId).toBe(made);
    expect(conversation.content).toMatchObject([[{}], [{ status: "succeeded" }]]);
    expect(await listIds(server)).toEqual([made]);
  });

  test("a server forgets keys of more than a day ago, and no others", async () => {
    await using place = await createPlace();
    const withKeys = async (change: (database: Database) => Promise<unknown>): Promise<number> => {
      const database = await openDatabase(place);
      try {
        await change(database);
        return await database.db.$count(idempotencyKeys);
      } finally {
        await database.close();
      }
    };
    const ageTo = (ageMs: number) =>
      withKeys(({ db }) => db.update(idempotencyKeys).set({ createdAt: Date.now() - ageMs }));
    /** Starts a server, and stops it once its worker has answered. */
    const serve = async (ask: (server: Server, request: Request) => Promise<Answer> = send) => {
      await using server = await openHostedServer(place);
      const request = createOf(() => server, { blocking: true }, ["helper"]);
      expect((await ask(server, request)).status).toBe(200);
    };
    await serve((server, request) => createSender(() => server)(request));
    const dayMs = 24 * 60 * 60 * 1000;
    expect(await ageTo(dayMs - 10 * 60_000)).toBe(1);
    await serve();
    expect(await ageTo(dayMs)).toBe(1);
    await serve();
    expect(await withKeys(async () => {})).toBe(0);
  });
});
