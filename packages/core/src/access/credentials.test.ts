import { apiKeys } from "@parley/db";
import { eq } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { insertTestWorkspace } from "../../testing/testing.ts";
import type { CoreRequest } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { insertApiKey, type NewApiKey, revokeApiKey } from "../workspaces/api-keys.ts";
import { createCredentials, type Credentials, requireWorkspace } from "./credentials.ts";
import { generateApiKey } from "./key-secrets.ts";

describe("credentials", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  let credentials: Credentials;
  beforeAll(async () => {
    workspace = await insertTestWorkspace(test.core);
  });
  beforeEach(() => void (credentials = createCredentials(test.core)));
  afterEach(() => credentials.close());

  const addKey = async (key: Partial<NewApiKey> = {}) => {
    const secret = generateApiKey();
    const named = { workspaceId: workspace.id, name: "test", role: "user", secret } as const;
    const row = await insertApiKey(test.core, test.core.database.db, { ...named, ...key });
    return { secret: key.secret ?? secret, row };
  };
  const operate = (keyId: string) => {
    // An operator: of its key nothing is read.
    const caller = { kind: "operator" };
    const context = Object.assign(Object.create(test.core) as CoreRequest, { caller });
    return revokeApiKey(context, { wId: workspace.sid, keyId });
  };
  const check = (header: string | undefined) => credentials.authenticate(header);
  const refusal = (header: string | undefined) =>
    check(header).then(
      () => "accepted",
      (error: { type: string; status: number }) => `${error.status} ${error.type}`,
    );

  it.each(["Bearer", "bearer", "BEARER", "Bearer  "])("accepts a key behind %j", async (word) => {
    const { secret, row } = await addKey();
    expect(await check(`${word} ${secret}`)).toMatchObject({
      kind: "workspace",
      apiKey: { sid: row.sid },
      workspace: { sid: workspace.sid },
      user: { id: row.userId },
    });
  });

  it("accepts every character that a key may have", async () => {
    const { secret } = await addKey({ secret: `sk-aZ09-._~+/==${Date.now()}`.slice(0, 15) });
    expect(await refusal(`Bearer ${secret}`)).toBe("accepted");
  });

  it.each([
    [undefined, "not_authenticated"],
    ["", "malformed_authorization_header_error"],
    ["Bearer", "malformed_authorization_header_error"],
    ["Bearer ", "malformed_authorization_header_error"],
    ["Basic sk-abc", "malformed_authorization_header_error"],
    ["sk-abc", "malformed_authorization_header_error"],
    ["Bearer abc", "malformed_authorization_header_error"],
    ["Bearer sk-", "malformed_authorization_header_error"],
    ["Bearer sk-a sk-b", "malformed_authorization_header_error"],
    ["Bearer sk-a\u0000", "malformed_authorization_header_error"],
    ["Bearer sk-ü", "malformed_authorization_header_error"],
    ["Bearer sk-unknown", "invalid_api_key_error"],
  ])("refuses the header %j with %s", async (header, type) => {
    expect(await refusal(header)).toBe(`401 ${type}`);
  });

  it("knows an operator, who belongs to no workspace", async () => {
    const { secret } = await addKey({ workspaceId: null, role: "operator" });
    const caller = await check(`Bearer ${secret}`);
    expect(caller).toMatchObject({ kind: "operator" });
    expect(() => requireWorkspace(caller, workspace.sid)).toThrow("not a key of this workspace");
  });

  it("refuses a key from the moment it expires, also one it has just believed", async () => {
    const { secret } = await addKey({ expiresAt: test.clock.now + 1000 });
    test.clock.now += 999;
    expect(await refusal(`Bearer ${secret}`)).toBe("accepted");
    test.clock.now += 1;
    expect(await refusal(`Bearer ${secret}`)).toBe("401 invalid_api_key_error");
  });

  it("refuses a revoked key at once, in every process of the server", async () => {
    const { secret, row } = await addKey();
    const elsewhere = createCredentials(test.core);
    await check(`Bearer ${secret}`);
    await elsewhere.authenticate(`Bearer ${secret}`);
    await operate(row.sid);
    expect(await refusal(`Bearer ${secret}`)).toBe("401 invalid_api_key_error");
    const refused = elsewhere.authenticate(`Bearer ${secret}`);
    await expect(refused).rejects.toMatchObject({ type: "invalid_api_key_error" });
    elsewhere.close();
  });

  it("refuses a key that is revoked while it is being checked, at the latest with the next", async () => {
    const { secret, row } = await addKey();
    await Promise.all([refusal(`Bearer ${secret}`), operate(row.sid)]);
    expect(await refusal(`Bearer ${secret}`)).toBe("401 invalid_api_key_error");
  });

  it("notices within seconds a revocation that it got no notification of", async () => {
    const { secret, row } = await addKey();
    await check(`Bearer ${secret}`);
    const { db } = test.core.database;
    await db.update(apiKeys).set({ revokedAt: 1 }).where(eq(apiKeys.id, row.id));
    test.clock.now += 5000;
    expect(await refusal(`Bearer ${secret}`)).toBe("401 invalid_api_key_error");
  });

  it("says the same of a foreign workspace and of one that does not exist", async () => {
    const { secret } = await addKey();
    const caller = await check(`Bearer ${secret}`);
    const foreign = await insertTestWorkspace(test.core);
    const refused = [foreign.sid, "nothing"].map((wId) => {
      try {
        return requireWorkspace(caller, wId);
      } catch (error) {
        const { type, status, message } = error as Record<string, unknown>;
        return { type, status, message };
      }
    });
    expect(refused[0]).toMatchObject({ type: "workspace_auth_error", status: 401 });
    expect(refused[1]).toEqual(refused[0]);
    expect(requireWorkspace(caller, workspace.sid)).toBe(caller);
  });
});
