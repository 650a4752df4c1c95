import { conversations } from "@parley/db";
import { eq } from "drizzle-orm";
import type { TokenScope } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { createTestConversation } from "../../testing/testing.ts";
import type { WorkspaceCaller } from "../context.ts";
import { conversationIdOf } from "./conversation-ids.ts";

describe("conversationIdOf", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann"] });
  const create = (conversationId: string) =>
    createTestConversation(
      // Some of its members are of its prototype.
      Object.assign(Object.create(test.context) as typeof test.context, { conversationId }),
      ["ann"],
    );

  it("is another for each name, key, user and workspace", () => {
    const key = test.context.caller;
    const token = {
      sid: "tok_1",
      scopes: new Set<TokenScope>(),
      spaceIds: undefined,
      expiresAt: 0,
    };
    const ofUser = (sid: string, keyRole: string, keySid = key.apiKey.sid) => ({
      ...key,
      user: { ...key.user, sid },
      apiKey: { ...key.apiKey, sid: keySid },
      userToken: { ...token, keyRole },
    });
    const callers = [
      key,
      { ...key, apiKey: { ...key.apiKey, sid: "key_other" } },
      { ...key, workspace: { ...key.workspace, sid: "other" } },
      ofUser("ada", "user"),
      ofUser("ada", "user", "key_other"),
      ofUser("bob", "user"),
      ofUser("ada", "admin"),
    ] satisfies WorkspaceCaller[];
    const ids = ["a", "b"].flatMap((name) => callers.map((one) => conversationIdOf(one, name)));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(ids.slice(0, 7)).toEqual(callers.map((one) => conversationIdOf(one, "a")));
    const other = ofUser("ada", "admin", "key_other");
    expect(conversationIdOf(other, "a")).toBe(ids[6]);
  });

  it("names a conversation that is created once, however many create it at the same time", async () => {
    for (let round = 0; round < 5; round++) {
      const id = conversationIdOf(test.context.caller, `chat ${round}`);
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create(id)));
      const created = outcomes.filter(({ status }) => status === "fulfilled");
      expect(created).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        expect(outcome.reason).toMatchObject({ type: "idempotency_key_in_use" });
      }
      await expect(create(id)).rejects.toMatchObject({ status: 409 });
      const { db } = test.core.database;
      expect(await db.select().from(conversations).where(eq(conversations.sid, id))).toHaveLength(
        1,
      );
    }
  });
});
