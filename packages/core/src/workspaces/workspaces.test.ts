import { apiKeys, workspaces } from "@parley/db";
import { CreateMessage } from "@parley/schema";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestAgent, insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { createCredentials, type Credentials } from "../access/credentials.ts";
import type { WorkspaceCaller } from "../context.ts";
import { resolveMessage } from "../conversations/new-messages.ts";
import type { CoreRequest } from "../create-core.ts";
import { administeredWorkspace } from "./administered-workspace.ts";
import { defaultModels } from "./models.ts";

describe("workspaces and members", () => {
  const test = coreTest();
  let credentials: Credentials;
  beforeAll(() => {
    credentials = createCredentials(test.core);
  });
  afterAll(() => {
    credentials.close();
  });

  const db = () => test.core.database.db;
  const open = async () => {
    const { workspace, adminKey } = await test.operator.createWorkspace({ name: "Acme" });
    return { wId: workspace.sId, adminKey };
  };

  it("opens a workspace with the models that cost nothing, and one open space", async () => {
    const { wId: workspaceId } = await open();
    const { models, ...settings } = await test.operator.getWorkspace({ wId: workspaceId });
    expect(settings).toEqual({
      workspaceId,
      name: "Acme",
      embedding: null,
      currency: "USD",
      region: "us",
      regionalModelsOnly: false,
      recordsRequests: true,
      suspendedAt: null,
    });
    expect(models.map((pair) => `${pair.providerId}/${pair.modelId}`)).toEqual(defaultModels);
  });

  it("changes what is given, and nothing else", async () => {
    const { wId: workspaceId } = await open();
    const before = await test.operator.getWorkspace({ wId: workspaceId });
    expect(await test.operator.updateWorkspace({ wId: workspaceId })).toEqual(before);
    const region = await test.operator.updateWorkspace({ wId: workspaceId, region: "eu" });
    expect(region).toEqual({ ...before, region: "eu" });
    const noop = { providerId: "noop", modelId: "noop" };
    const models = { models: [noop, noop], name: "New" };
    const changed = await test.operator.updateWorkspace({ wId: workspaceId, ...models });
    expect(changed).toEqual({ ...region, name: "New", models: [noop] });
    expect(await test.operator.getWorkspace({ wId: workspaceId })).toEqual(changed);
  });

  it("refuses models that nobody knows, and changes nothing", async () => {
    const { wId: workspaceId } = await open();
    const before = await test.operator.getWorkspace({ wId: workspaceId });
    const models = [{ providerId: "openai", modelId: "gpt-0" }];
    const refused = test.operator.updateWorkspace({ wId: workspaceId, name: "New", models });
    expect(await refusalOf(refused)).toBe("400 model_disabled");
    expect(await test.operator.getWorkspace({ wId: workspaceId })).toEqual(before);
  });

  const gpt = { providerId: "openai", modelId: "gpt-5" };
  const claude = { providerId: "anthropic", modelId: "claude-sonnet-4-5" };
  const noop = { providerId: "noop", modelId: "noop" };

  it("adds models to the enabled ones and takes some away, also at the same time", async () => {
    const { wId } = await open();
    const update = async (
      change: Omit<Parameters<typeof test.operator.updateWorkspace>[0], "wId">,
    ) => (await test.operator.updateWorkspace({ wId, ...change })).models;
    await update({ models: [noop] });
    await Promise.all([update({ enableModels: [gpt] }), update({ enableModels: [claude] })]);
    const { models } = await test.operator.getWorkspace({ wId });
    expect(models).toHaveLength(3);
    expect(models).toEqual(expect.arrayContaining([noop, gpt, claude]));
    expect(await update({ enableModels: [gpt, gpt] })).toEqual(models);
    expect(await update({ disableModels: [gpt, claude] })).toEqual([noop]);
    expect(await update({ disableModels: [gpt] })).toEqual([noop]);
    expect(await update({ models: [gpt], enableModels: [noop], disableModels: [gpt] })).toEqual([
      noop,
    ]);
    const unknown = { providerId: "openai", modelId: "gpt-0" };
    expect(await refusalOf(update({ enableModels: [unknown] }))).toBe("400 model_disabled");
    expect(await update({ disableModels: [unknown] })).toEqual([noop]);
  });

  it("enables a bounded number of models, however often some are added", async () => {
    const { wId } = await open();
    const many = (start: number) =>
      Array.from({ length: 1000 }, (_, index) => ({
        providerId: "openai_compatible",
        modelId: `local-${start + index}`,
      }));
    await test.operator.updateWorkspace({ wId, models: many(0) });
    const more = test.operator.updateWorkspace({ wId, enableModels: many(1) });
    expect(await refusalOf(more)).toBe("400 invalid_request_error");
    expect((await test.operator.getWorkspace({ wId })).models).toHaveLength(1000);
  });

  it("has changed settings in force for the next request", async () => {
    const { wId: workspaceId, adminKey } = await open();
    const [row] = await db().select().from(workspaces).where(eq(workspaces.sid, workspaceId));
    await insertTestAgent(test.core, row!, { sid: "ann" });
    const request = async () => {
      // The key is one of a workspace.
      const caller = (await credentials.authenticate(`Bearer ${adminKey}`)) as WorkspaceCaller;
      const context = await openTestContext(test.core, row!);
      const sent = { content: "Hi", mentions: [{ configurationId: "ann" }] };
      const message = CreateMessage.parse(sent);
      return resolveMessage(
        db(),
        { ...context, caller, database: test.core.database },
        { message, path: "" },
      );
    };
    expect(await refusalOf(request())).toBe("accepted");
    await test.operator.updateWorkspace({ wId: workspaceId, models: [] });
    expect(await refusalOf(request())).toBe("400 model_disabled");
    const models = [{ providerId: "simulated", modelId: "simulated-1" }];
    await test.operator.updateWorkspace({ wId: workspaceId, models });
    expect(await refusalOf(request())).toBe("accepted");
  });

  it("administers the key's own workspace, whatever is named, and the named one for operators", async () => {
    const own = await insertTestWorkspace(test.core);
    const named = await insertTestWorkspace(test.core);
    const find = (by: CoreRequest, sid: string) => administeredWorkspace(by, db(), sid);
    const key = await openTestContext(test.core, own, "admin");
    expect(await find(key, named.sid)).toEqual(own);
    expect(await find(test.operator.context, named.sid)).toEqual(named);
    const unknown = find(test.operator.context, "unknown");
    expect(await refusalOf(unknown)).toBe("404 workspace_not_found");
    await db().update(workspaces).set({ name: "New" }).where(eq(workspaces.id, own.id));
    expect(await find(key, own.sid)).toEqual({ ...own, name: "New" });
  });

  const ada = { email: "ada@example.com", firstName: "Ada" };

  it("adds members, the oldest first, with names that are made up if none is given", async () => {
    const { wId: workspaceId } = await open();
    const { member } = await test.operator.addMember({ wId: workspaceId, ...ada });
    expect(member).toMatchObject({
      ...ada,
      username: "ada",
      lastName: "",
      fullName: "Ada",
      image: "http://parley.test/pictures/user-1.svg",
      provider: "",
    });
    const grace = {
      email: "g@x.org",
      username: "amazing",
      firstName: "Grace",
      lastName: "Hopper",
    };
    const added = await test.operator.addMember({ wId: workspaceId, ...grace });
    expect(added.member).toMatchObject({ ...grace, fullName: "Grace Hopper" });
    // The service users of keys are none.
    const { members } = await test.operator.listMembers({ wId: workspaceId });
    expect(members).toEqual([member, added.member]);
    const { wId: other } = await open();
    expect((await test.operator.listMembers({ wId: other })).members).toEqual([]);
    expect(await refusalOf(test.operator.addMember({ wId: other, ...ada }))).toBe("accepted");
  });

  it("lists members a page at a time, also when one is removed in the meantime", async () => {
    const { wId } = await open();
    const sids: string[] = [];
    for (const firstName of ["A", "B", "C", "D", "E"]) {
      const email = `${firstName}@example.com`;
      sids.push((await test.operator.addMember({ wId, email, firstName })).member.sId);
    }
    const first = await test.operator.listMembers({ wId, limit: 2 });
    expect(first.members.map(({ sId }) => sId)).toEqual(sids.slice(0, 2));
    await test.operator.removeMember({ wId, memberId: sids[1]! });
    const { lastValue } = first;
    const second = await test.operator.listMembers({ wId, limit: 2, lastValue });
    expect(second.members.map(({ sId }) => sId)).toEqual(sids.slice(2, 4));
    const third = await test.operator.listMembers({ wId, limit: 2, lastValue: second.lastValue });
    expect(third).toMatchObject({ members: [{ sId: sids[4] }], hasMore: false });
    expect([first.hasMore, second.hasMore]).toEqual([true, true]);
  });

  it("has one member of an e-mail address, in any case, also of requests that come at once", async () => {
    const emails = ["ada@example.com", "ADA@example.com", "Ada@Example.Com", "ada@EXAMPLE.com"];
    for (let round = 0; round < 4; round++) {
      const { wId: workspaceId } = await open();
      const add = (email: string) => test.operator.addMember({ wId: workspaceId, ...ada, email });
      const outcomes = await Promise.all(emails.map((email) => refusalOf(add(email))));
      const [first = "", ...others] = outcomes.toSorted().toReversed();
      expect(first).toBe("accepted");
      for (const outcome of others) expect(outcome).toMatch(/ member_already_exists$/);
      expect((await test.operator.listMembers({ wId: workspaceId })).members).toHaveLength(1);
    }
  });

  it("removes a member, who may be added again as another", async () => {
    const { wId: workspaceId } = await open();
    const { member } = await test.operator.addMember({ wId: workspaceId, ...ada });
    const remove = (workspace: string, memberId: string) =>
      refusalOf(test.operator.removeMember({ wId: workspace, memberId }));
    const stranger = await open();
    expect(await remove(stranger.wId, member.sId)).toBe("404 member_not_found");
    expect(await remove(workspaceId, "unknown")).toBe("404 member_not_found");
    expect(await remove(workspaceId, member.sId)).toBe("accepted");
    expect(await remove(workspaceId, member.sId)).toBe("404 member_not_found");
    expect((await test.operator.listMembers({ wId: workspaceId })).members).toEqual([]);
    const again = await test.operator.addMember({ wId: workspaceId, ...ada });
    expect(again.member.sId).not.toBe(member.sId);
  });

  it("does not take a key's service user for a member", async () => {
    const { wId: workspaceId, adminKey } = await open();
    // The key is one of a workspace.
    const { user } = (await credentials.authenticate(`Bearer ${adminKey}`)) as WorkspaceCaller;
    const removed = test.operator.removeMember({ wId: workspaceId, memberId: user.sid });
    expect(await refusalOf(removed)).toBe("404 member_not_found");
    expect(await db().$count(apiKeys, eq(apiKeys.userId, user.id))).toBe(1);
  });
});
