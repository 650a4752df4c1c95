import { apiKeys } from "@parley/db";
import { API_KEY_PATTERN } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { createCredentials } from "../access/credentials.ts";
import { generateApiKey, hashSecret, isMistyped } from "../access/key-secrets.ts";
import type { CoreRequest } from "../create-core.ts";
import { createApiKey, insertApiKey, listApiKeys, revokeApiKey, updateApiKey } from "./api-keys.ts";
import { createWorkspace } from "./workspaces.ts";

describe("a generated key", () => {
  it("has the form of a key, and is never the same", () => {
    const keys = Array.from({ length: 100 }, generateApiKey);
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(API_KEY_PATTERN);
  });

  it("ends with a checksum, so that a typo is found without the database", () => {
    const key = generateApiKey();
    expect(isMistyped(key)).toBe(false);
    const typo = key.slice(0, 10) + (key[10] === "a" ? "b" : "a") + key.slice(11);
    expect(isMistyped(typo)).toBe(true);
    for (const other of ["sk-short", `${key}=`, `${key}x`]) expect(isMistyped(other)).toBe(false);
  });
});

describe("workspaces and keys", () => {
  const test = coreTest();
  let context: CoreRequest;
  beforeAll(() => {
    // An operator: of its key nothing is read.
    const caller = { kind: "operator" };
    context = Object.assign(Object.create(test.core) as CoreRequest, { caller });
  });

  const authenticate = async (secret: string) => {
    const credentials = createCredentials(test.core);
    try {
      return await credentials.authenticate(`Bearer ${secret}`);
    } finally {
      credentials.close();
    }
  };
  const open = async () => {
    const { workspace } = await createWorkspace(context, { name: "Acme" });
    return workspace.sId;
  };

  it("creates a workspace with an admin key that works", async () => {
    const { workspace, adminKey } = await createWorkspace(context, { name: "Acme" });
    expect(workspace).toMatchObject({
      name: "Acme",
      role: "admin",
      sId: expect.stringMatching(/^[A-Za-z0-9]{10}$/),
      whiteListedProviders: [],
      regionalModelsOnly: false,
    });
    expect(await authenticate(adminKey)).toMatchObject({
      workspace: { sid: workspace.sId },
      apiKey: { role: "admin" },
      user: { fullName: "admin", email: "" },
    });
  });

  it("creates no more keys than a workspace may have, until one is revoked", async () => {
    const workspaceId = await open();
    const optional = { expiresAt: undefined, spaceIds: undefined };
    const input = { wId: workspaceId, name: "x", role: "user", ...optional } as const;
    const { apiKey } = await createApiKey(context, input);
    const { db } = test.core.database;
    const [row] = await db.select().from(apiKeys).where(eq(apiKeys.sid, apiKey.sId));
    const { id, ...copied } = row!;
    const copies = Array.from({ length: 993 }, (_, at) => ({
      ...copied,
      sid: `${copied.sid}${at}`,
      hash: `${id} ${at}`,
      // Whoever may use it again has it still.
      disabledAt: at % 2 === 0 ? 1 : null,
    }));
    await db.insert(apiKeys).values(copies);
    // The admin's key and these are 995.
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, () => createApiKey(context, input)),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    await expect(createApiKey(context, input)).rejects.toMatchObject({
      type: "invalid_request_error",
      message: expect.stringContaining("1000 keys") as string,
    });
    await revokeApiKey(context, { wId: workspaceId, keyId: apiKey.sId });
    await createApiKey(context, input);
    expect((await createWorkspace(context, { name: "Other" })).adminKey).toBeDefined();
  });

  it("creates a key whose secret is stored nowhere", async () => {
    const workspaceId = await open();
    const input = {
      wId: workspaceId,
      name: "ci",
      role: "builder" as const,
      expiresAt: 2e12,
      spaceIds: undefined,
    };
    const { apiKey, secret } = await createApiKey(context, input);
    expect(apiKey).toEqual({
      sId: expect.stringMatching(/^key_/),
      userId: expect.any(String),
      name: "ci",
      role: "builder",
      spaceIds: [],
      createdAt: test.clock.now,
      expiresAt: 2e12,
      disabledAt: null,
      revokedAt: null,
    });
    expect(await authenticate(secret)).toMatchObject({ apiKey: { sid: apiKey.sId } });
    const rows = await test.core.database.db.select().from(apiKeys);
    expect(JSON.stringify(rows)).not.toContain(secret.slice("sk-".length));
  });

  it("lists the keys of one workspace, the oldest first, without secrets", async () => {
    const [workspaceId] = [await open(), await open()];
    for (const name of ["one", "two"]) {
      const nothing = { expiresAt: undefined, spaceIds: undefined };
      await createApiKey(context, { wId: workspaceId, name, role: "user", ...nothing });
    }
    const listed = await listApiKeys(context, { wId: workspaceId });
    expect(listed.apiKeys.map((key) => key.name)).toEqual(["admin", "one", "two"]);
    expect(JSON.stringify(listed)).not.toMatch(/hash|secret|sk-/);
  });

  it("refuses a disabled key until it is enabled again, and a key set by hand may look mistyped", async () => {
    const workspaceId = await open();
    const secret = `sk-${"a".repeat(40)}`;
    expect(isMistyped(secret)).toBe(true);
    await expect(authenticate(secret)).rejects.toMatchObject({ type: "invalid_api_key_error" });
    const [admin] = (await listApiKeys(context, { wId: workspaceId })).apiKeys;
    const { caller } = {
      caller: await authenticate((await createWorkspace(context, { name: "B" })).adminKey),
    };
    const own = caller.kind === "workspace" ? caller.workspace.id : 0;
    await insertApiKey(test.core, test.core.database.db, {
      workspaceId: own,
      name: "hand",
      role: "user",
      secret,
    });
    expect(await authenticate(secret)).toMatchObject({
      apiKey: { name: "hand", hash: hashSecret(secret) },
    });
    const key = { wId: workspaceId, keyId: admin!.sId, role: undefined, spaceIds: undefined };
    const disabled = await updateApiKey(context, { ...key, disabled: true });
    expect(disabled.apiKey.disabledAt).toBe(test.clock.now);
    const enabled = await updateApiKey(context, { ...key, disabled: false });
    expect(enabled.apiKey.disabledAt).toBeNull();
  });

  it("keeps the time of the first revocation", async () => {
    const workspaceId = await open();
    const [key] = (await listApiKeys(context, { wId: workspaceId })).apiKeys;
    const revoke = () => revokeApiKey(context, { wId: workspaceId, keyId: key!.sId });
    const revokedAt = test.clock.now;
    expect(await revoke()).toEqual({ success: true });
    test.clock.now += 1000;
    expect(await revoke()).toEqual({ success: true });
    expect((await listApiKeys(context, { wId: workspaceId })).apiKeys).toMatchObject([
      { revokedAt },
    ]);
  });

  it("finds no key of another workspace, and no unknown workspace", async () => {
    const [workspaceId, foreign] = [await open(), await open()];
    const [key] = (await listApiKeys(context, { wId: foreign })).apiKeys;
    await expect(
      revokeApiKey(context, { wId: workspaceId, keyId: key!.sId }),
    ).rejects.toMatchObject({
      type: "api_key_not_found",
    });
    const unknown = { wId: "unknown", spaceIds: undefined };
    const named = { ...unknown, name: "x", role: "user" as const, expiresAt: undefined };
    const notFound = { type: "workspace_not_found", status: 404 };
    await expect(createApiKey(context, named)).rejects.toMatchObject(notFound);
    await expect(listApiKeys(context, unknown)).rejects.toMatchObject(notFound);
  });

  it("refuses to write a key of a bad form", async () => {
    const key = { workspaceId: null, name: "bad", role: "operator", secret: "sk bad" } as const;
    const { db } = test.core.database;
    await expect(insertApiKey(test.core, db, key)).rejects.toThrow("must match");
  });
});
