import { endpoints, parseInput } from "@parley/schema";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { addTestEditor, openTestContext } from "../../testing/testing.ts";
import { createSecretBox } from "../workspaces/secret-box.ts";
import { createWebhook, getWebhook, listWebhooks, updateWebhook } from "./webhooks.ts";

const secretBox = createSecretBox([new Uint8Array(32)]);
const test = workspaceTest({ role: "builder", agents: ["ann", "bob"], parts: { secretBox } });

const create = async (agentIds: readonly string[] | null, context = test.context) => {
  const wId = test.workspaceId;
  const given = { wId, url: "https://x.example", events: ["message.succeeded"], agentIds };
  return (await createWebhook(context, parseInput(endpoints["webhooks.create"], given))).webhook;
};
const listed = async () => {
  const page = { wId: test.workspaceId, limit: 10, lastValue: undefined };
  return (await listWebhooks(test.context, page)).webhooks.map(({ sId }) => sId);
};

it("a builder manages the webhooks of agents alone, of those that it edits", async () => {
  const admin = await openTestContext(test.core, test.workspace, "admin");
  const [all, ofBob] = [await create(null, admin), await create(["bob"], admin)];
  const own = await create(["ann", "bob"]);
  expect(await listed()).toEqual([ofBob.sId, own.sId]);
  const wId = test.workspaceId;
  await expect(getWebhook(test.context, { wId, webhookId: all.sId })).rejects.toMatchObject({
    type: "webhook_not_found",
  });
  await expect(create(null)).rejects.toThrow("agentIds: only admins may set a webhook");
  await addTestEditor(admin, "bob");
  expect(await listed()).toEqual([]);
  await expect(create(["ann", "bob"])).rejects.toThrow("agentIds: only admins and the editors");
  await addTestEditor(test.context, "bob");
  expect(await listed()).toEqual([ofBob.sId, own.sId]);
  const change = { wId, webhookId: own.sId, version: own.version, agentIds: null };
  const wider = updateWebhook(test.context, parseInput(endpoints["webhooks.update"], change));
  await expect(wider).rejects.toMatchObject({ type: "app_auth_error" });
});
