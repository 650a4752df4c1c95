import { randomBytes } from "node:crypto";
import { providerCredentials } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace } from "../../testing/testing.ts";
import type { CoreRequest } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import {
  listProviderCredentials,
  putProviderCredential,
  readProviderSecret,
  removeProviderCredential,
} from "./provider-credentials.ts";
import { createSecretBox } from "./secret-box.ts";

const key = randomBytes(32);

describe("credentials for providers", () => {
  const test = coreTest({ secretBox: createSecretBox([key]) });
  let context: CoreRequest;
  let ours: WorkspaceRow;
  let theirs: WorkspaceRow;
  beforeAll(async () => {
    ({ context } = test.operator);
    ours = await insertTestWorkspace(test.core);
    theirs = await insertTestWorkspace(test.core);
  });

  const put = (workspace: WorkspaceRow, apiKey: string) =>
    putProviderCredential(context, { wId: workspace.sid, providerId: "openai", apiKey });
  const secretOf = ({ id: workspaceId }: WorkspaceRow, core = test.core) =>
    readProviderSecret(core, { workspaceId, providerId: "openai" });
  const withKeys = (...keys: Uint8Array[]) =>
    Object.assign(Object.create(test.core) as typeof test.core, {
      secretBox: createSecretBox(keys),
    });

  it("are each workspace's own, replaced as a whole, and shown without their secret", async () => {
    const first = await put(ours, "sk-first");
    test.clock.now += 1000;
    await put(theirs, "sk-theirs");
    const { providerCredential } = await put(ours, "sk-second");
    expect(await secretOf(ours)).toBe("sk-second");
    expect(await secretOf(theirs)).toBe("sk-theirs");
    expect(providerCredential).toEqual({
      ...first.providerCredential,
      updatedAt: first.providerCredential.createdAt + 1000,
    });
    const listed = await listProviderCredentials(context, { wId: ours.sid });
    expect(listed).toEqual({ providerCredentials: [providerCredential] });
    expect(Object.keys(providerCredential)).not.toContain("ciphertext");
    const stored = JSON.stringify(await test.core.database.db.select().from(providerCredentials));
    expect(stored).not.toContain("sk-");
  });

  it("open nowhere but in their own row", async () => {
    await put(ours, "sk-ours");
    await put(theirs, "sk-theirs");
    const { db } = test.core.database;
    const isOf = ({ id }: WorkspaceRow) => eq(providerCredentials.workspaceId, id);
    const [row] = await db.select().from(providerCredentials).where(isOf(theirs));
    await db.update(providerCredentials).set({ ciphertext: row!.ciphertext }).where(isOf(ours));
    await expect(secretOf(ours)).rejects.toThrow("openai");
  });

  it("stay readable while their key is among the deployment's", async () => {
    await put(ours, "sk-ours");
    const newer = randomBytes(32);
    expect(await secretOf(ours, withKeys(newer, key))).toBe("sk-ours");
    await expect(secretOf(ours, withKeys(newer))).rejects.toThrow("openai");
    await expect(secretOf(ours, withKeys())).rejects.toThrow("openai");
  });

  it("are not stored by a server without a key", async () => {
    const bare = Object.assign(Object.create(context) as CoreRequest, {
      secretBox: undefined,
    });
    const input = { wId: ours.sid, providerId: "openai", apiKey: "sk-x" } as const;
    expect(await refusalOf(putProviderCredential(bare, input))).toBe("400 invalid_request_error");
  });

  it("are gone once removed", async () => {
    await put(ours, "sk-ours");
    const input = { wId: ours.sid, providerId: "openai" } as const;
    expect(await removeProviderCredential(context, input)).toEqual({ success: true });
    expect(await secretOf(ours)).toBeUndefined();
    const again = await refusalOf(removeProviderCredential(context, input));
    expect(again).toBe("404 provider_credential_not_found");
  });
});
