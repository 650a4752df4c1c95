import { userTokens } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestContext } from "../../testing/testing.ts";
import { createCredentials, type Credentials } from "../access/credentials.ts";
import { generateUserToken, hashSecret } from "../access/key-secrets.ts";
import { createUserToken, revokeUserTokens, sweepUserTokens } from "./user-tokens.ts";

describe("tokens of users", () => {
  const test = workspaceTest({ per: "suite", keepRuns: true });
  let credentials: Credentials;
  beforeAll(() => {
    credentials = createCredentials(test.core);
  });
  afterAll(() => {
    credentials.close();
  });

  const db = () => test.core.database.db;
  const mint = (externalId: string, more: object = {}) =>
    createUserToken(
      test.context,
      parseInput(endpoints["userTokens.create"], {
        wId: test.workspaceId,
        externalId,
        scopes: ["files:read"],
        ...more,
      }),
    );

  it("are stored as their hash, and act as their user with the role user", async () => {
    const admin = await openTestContext(test.core, test.context.caller.workspace, "admin");
    const { secret, userToken, user } = await createUserToken(
      admin,
      parseInput(endpoints["userTokens.create"], {
        wId: admin.caller.workspace.sid,
        externalId: "ada",
        scopes: ["files:read", "files:read"],
      }),
    );
    const [row] = await db().select().from(userTokens).where(eq(userTokens.sid, userToken.sId));
    expect(row).toMatchObject({ hash: hashSecret(secret), scopes: ["files:read"], spaceIds: [] });
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(await credentials.authenticate(`Bearer ${secret}`)).toMatchObject({
      kind: "workspace",
      apiKey: { sid: admin.caller.apiKey.sid, role: "user" },
      user: { sid: user.sId },
      userToken: { sid: userToken.sId, keyRole: "admin" },
    });
  });

  it("are refused without a query if they are mistyped", async () => {
    const { session } = db() as unknown as { session: { prepareQuery: () => unknown } };
    const prepared = vi.spyOn(session, "prepareQuery");
    const mistyped = generateUserToken().replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const refused = credentials.authenticate(`Bearer ${mistyped}`);
    await expect(refused).rejects.toMatchObject({ type: "invalid_api_key_error" });
    expect(prepared).not.toHaveBeenCalled();
    prepared.mockRestore();
  });

  it("are refused from the moment of their revocation, in every process", async () => {
    const { secret, userToken } = await mint("bob");
    const elsewhere = createCredentials(test.core);
    for (const one of [credentials, elsewhere]) await one.authenticate(`Bearer ${secret}`);
    const revoke = { wId: test.workspaceId, tokenId: userToken.sId };
    await revokeUserTokens(test.context, parseInput(endpoints["userTokens.revoke"], revoke));
    for (const one of [credentials, elsewhere]) {
      await expect(one.authenticate(`Bearer ${secret}`)).rejects.toMatchObject({ status: 401 });
    }
    elsewhere.close();
  });

  it("create a user once, however many come at the same time", async () => {
    const created = await Promise.all(Array.from({ length: 8 }, () => mint("crowd")));
    expect(new Set(created.map(({ user }) => user.sId)).size).toBe(1);
  });

  it("are refused when they expire, and swept after it", async () => {
    const { secret, userToken } = await mint("carol", { lifetimeSeconds: 60 });
    const { userToken: later } = await mint("carol", { lifetimeSeconds: 120 });
    await credentials.authenticate(`Bearer ${secret}`);
    test.clock.now += 60_000;
    await expect(credentials.authenticate(`Bearer ${secret}`)).rejects.toMatchObject({
      type: "invalid_api_key_error",
    });
    expect(await sweepUserTokens(test.core)).toBe(1);
    const left = await db().select({ sid: userTokens.sid }).from(userTokens);
    expect(left.map(({ sid }) => sid)).toContain(later.sId);
    expect(left.map(({ sid }) => sid)).not.toContain(userToken.sId);
  });

  it.each([
    { lifetimeSeconds: 86_401 },
    { lifetimeSeconds: 0 },
    { scopes: [] },
    { scopes: ["everything"] },
    { userId: "both" },
    { externalId: undefined },
    { externalId: "" },
  ])("are not created with %j", async (more) => {
    const refused = async () => mint("x", more);
    await expect(refused).rejects.toThrow("Invalid request body");
  });
});
