import { apiKeySpaces, spaces, users } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { insertTestMemories } from "../../testing/memories.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { actingAs } from "../access/acting-users.ts";
import type { CoreContext, CoreRequest } from "../create-core.ts";
import { createSpace } from "../workspaces/spaces.ts";
import { eraseMemories } from "./erase-memories.ts";
import { listMemories, runMemoryCommand } from "./memories.ts";
import { listProposals } from "./proposals.ts";

const test = workspaceTest({ per: "test", agents: ["ann", "ben"], role: "builder" });

/** The context of a member with a token under the suite's key. */
async function openUser(name: string): Promise<CoreContext> {
  const [user] = await test.core.database.db
    .insert(users)
    .values({
      sid: test.core.newId(),
      workspaceId: test.workspace.id,
      email: `${name}@example.com`,
      username: name,
      firstName: "",
      lastName: "",
      fullName: name,
      provider: "",
      image: "",
      createdAt: 1,
    })
    .returning();
  const token = { sid: "tok", scopes: new Set([]), spaceIds: undefined, expiresAt: 0 };
  const caller = actingAs({ ...test.context.caller, user: user! }, token);
  return Object.assign(Object.create(test.context) as CoreContext, { caller });
}

const wIdOf = ({ caller }: CoreRequest) =>
  caller.kind === "workspace" ? caller.workspace.sid : test.workspaceId;
const create = (by: CoreRequest, path: string, more: object = {}) => {
  const given = { wId: wIdOf(by), command: "create", path, file_text: "Likes tea", ...more };
  return runMemoryCommand(by, parseInput(endpoints["memories.run"], given));
};
const pathsOf = async (by: CoreRequest) => {
  const input = parseInput(endpoints["memories.list"], { wId: wIdOf(by) });
  return (await listMemories(by, input)).memories.map(({ path }) => path);
};
const erase = (by: CoreRequest, whose: object = {}) =>
  eraseMemories(by, parseInput(endpoints["memories.erase"], { wId: wIdOf(by), ...whose }));

it("erases the caller's own files, and nobody else's", async () => {
  const [ada, eve] = [await openUser("ada"), await openUser("eve")];
  for (const by of [ada, eve]) {
    await create(by, "/memories/user/tea.md");
    await create(by, "/memories/agent-user/tea.md", { agentId: "ann" });
  }
  await create(test.context, "/memories/agent/all.md", { agentId: "ann" });
  expect(await erase(ada)).toEqual({ erased: 2 });
  expect(await pathsOf(ada)).toEqual([]);
  expect(await pathsOf(eve)).toHaveLength(2);
  expect(await pathsOf(test.context)).toEqual(["/memories/agent/all.md"]);
  expect(await erase(ada)).toEqual({ erased: 0 });
  expect(await create(ada, "/memories/user/tea.md")).toMatchObject({ isError: false });
});

it("erases what is remembered of another user for admins alone", async () => {
  const ada = await openUser("ada");
  const userId = ada.caller.user.sid;
  const admin = await openTestContext(test.core, test.workspace, "admin");
  const foreign = await openTestContext(test.core, await insertTestWorkspace(test.core), "admin");
  await create(ada, "/memories/user/tea.md");
  const eve = await openUser("eve");
  for (const by of [eve, test.context]) {
    await expect(erase(by, { userId })).rejects.toMatchObject({ type: "app_auth_error" });
  }
  await expect(erase(foreign, { userId })).rejects.toMatchObject({ type: "member_not_found" });
  await expect(erase(test.operator.context)).rejects.toThrow(/operator names whose/);
  expect(await pathsOf(ada)).toHaveLength(1);
  expect(await erase(admin, { userId })).toEqual({ erased: 1 });
  await create(ada, "/memories/user/tea.md");
  expect(await erase(test.operator.context, { userId })).toEqual({ erased: 1 });
});

it("erases what an agent remembers, with the changes that wait, for builders alone", async () => {
  const ada = await openUser("ada");
  await insertTestMemories(test.context);
  await create(test.context, "/memories/agent/b.md", { agentId: "ben" });
  const waiting = async () => {
    const input = parseInput(endpoints["memories.listProposals"], { wId: test.workspaceId });
    return (await listProposals(test.context, input)).proposals.length;
  };
  expect(await waiting()).toBe(1);
  const refused = { type: "app_auth_error" };
  await expect(erase(ada, { agentId: "ann" })).rejects.toMatchObject(refused);
  const unknown = erase(test.context, { agentId: "nobody" });
  await expect(unknown).rejects.toMatchObject({ type: "agent_not_found" });
  expect(await erase(test.context, { agentId: "ann" })).toEqual({ erased: 1 });
  expect(await waiting()).toBe(0);
  expect(await pathsOf(test.context)).toEqual(["/memories/agent/b.md"]);
});

it("erases what is remembered in a space that the caller reaches", async () => {
  const admin = await openTestContext(test.core, test.workspace, "admin");
  const given = { wId: test.workspaceId, name: "Shop", isRestricted: true };
  const { space } = await createSpace(admin, parseInput(endpoints["spaces.create"], given));
  const { db } = test.core.database;
  const [row] = await db.select().from(spaces).where(eq(spaces.sid, space.sId));
  await db.insert(apiKeySpaces).values({ apiKeyId: admin.caller.apiKey.id, spaceId: row!.id });
  await create(admin, "/memories/space/a", { spaceId: space.sId });
  const hidden = erase(test.context, { spaceId: space.sId });
  await expect(hidden).rejects.toMatchObject({ type: "space_not_found" });
  expect(await erase(admin, { spaceId: space.sId })).toEqual({ erased: 1 });
});

it("refuses several owners, and leaves no trace", async () => {
  await create(test.context, "/memories/agent/a.md", { agentId: "ann" });
  const both = erase(test.context, { agentId: "ann", spaceId: "x" });
  await expect(both).rejects.toThrow(/spaceId: give either this or agentId/);
  expect(await pathsOf(test.context)).toHaveLength(1);
});
