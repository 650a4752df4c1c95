import { createRpcClient } from "parley-client";
import { expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { createFileCalls } from "./calls.ts";

const server = shareServer();
const files = createFileCalls(server);
const rpcOf = (apiKey: string) => createRpcClient({ url: server().url, apiKey });

it("lists the uploads of a key, or of the workspace for an admin, newest first", async () => {
  const { adminKey, workspaceId: wId } = server().demo;
  const admin = rpcOf(adminKey);
  const createKey = async () =>
    (await admin.apiKeys.create.mutate({ wId, name: "uploads", role: "user" })).secret;
  const [secret, stranger] = [await createKey(), await createKey()];
  const ids: string[] = [];
  for (const text of ["one", "two", "three"]) {
    ids.unshift((await files.upload(text, {}, secret)).sId);
  }
  const all = await rpcOf(secret).files.list.query({ wId });
  expect(all.files.map(({ sId }) => sId)).toEqual(ids);
  expect(all.files[0]).toMatchObject({ status: "ready", fileSize: 5, id: ids[0] });
  expect(all.files[0]).not.toHaveProperty("uploadUrl");
  expect((await rpcOf(stranger).files.list.query({ wId })).files).toEqual([]);
  const ofAdmin = await admin.files.list.query({ wId });
  expect(ofAdmin.files.slice(0, 3)).toEqual(all.files);

  const found: string[] = [];
  let lastValue: string | null = null;
  do {
    const place: { lastValue?: string } = lastValue === null ? {} : { lastValue };
    const page = await rpcOf(secret).files.list.query({ wId, limit: 2, ...place });
    expect(page.files.length).toBeLessThanOrEqual(2);
    found.push(...page.files.map(({ sId }) => sId));
    lastValue = page.hasMore ? page.lastValue : null;
  } while (lastValue !== null);
  expect(found).toEqual(ids);
});
