import { apiKeySpaces, memoryFiles, memoryScopes, spaces, users } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { actingAs } from "../access/acting-users.ts";
import type { CoreContext, CoreRequest } from "../create-core.ts";
import { deleteSpace } from "../delete-space.ts";
import { removeMember } from "../workspaces/members.ts";
import { createSpace } from "../workspaces/spaces.ts";
import {
  getMemory,
  listMemories,
  removeMemory,
  runMemoryCommand,
  updateMemory,
} from "./memories.ts";
import type { MemoryMount } from "./mounts.ts";
import { approveProposal, listProposals, rejectProposal } from "./proposals.ts";
import { countWaitingProposals, sweepProposals } from "./sweep-proposals.ts";
import { runMemoryCommands } from "./run-commands.ts";

describe("memories of people", () => {
  const test = workspaceTest({ agents: ["ann"], role: "builder" });
  const wIdOf = ({ caller }: CoreRequest) =>
    caller.kind === "workspace" ? caller.workspace.sid : test.workspaceId;

  /** The context of a member with a token under the suite's key. */
  const openUser = async (email: string): Promise<CoreContext> => {
    const sid = test.core.newId();
    const named = { username: email, firstName: "", lastName: "", fullName: email };
    const [user] = await test.core.database.db
      .insert(users)
      .values({
        sid,
        workspaceId: test.workspace.id,
        email,
        ...named,
        provider: "",
        image: "",
        createdAt: 1,
      })
      .returning();
    const token = { sid: "tok", scopes: new Set([]), spaceIds: undefined, expiresAt: 0 };
    const caller = actingAs({ ...test.context.caller, user: user! }, token);
    return Object.assign(Object.create(test.context) as CoreContext, { caller });
  };
  const run = (by: CoreRequest, given: object) =>
    runMemoryCommand(by, parseInput(endpoints["memories.run"], { wId: wIdOf(by), ...given }));
  const create = (by: CoreRequest, path: string, more: object = {}) =>
    run(by, { command: "create", path, file_text: "Likes tea", ...more });
  const list = async (by: CoreRequest) => {
    const input = parseInput(endpoints["memories.list"], { wId: wIdOf(by) });
    return (await listMemories(by, input)).memories;
  };
  const pathsOf = async (by: CoreRequest) => (await list(by)).map(({ path }) => path);
  const named = (by: CoreRequest, memoryId: string) => ({ wId: wIdOf(by), memoryId });
  const refused = (call: Promise<unknown>) =>
    call.then(
      () => "allowed",
      (error: { type: string; message: string }) => `${error.type}: ${error.message}`,
    );

  it("are seen and changed by whose they are, and by nobody else", async () => {
    const [ada, eve] = [await openUser("ada@example.com"), await openUser("eve@example.com")];
    const admin = await openTestContext(test.core, test.workspace, "admin");
    const foreign = await openTestContext(test.core, await insertTestWorkspace(test.core), "admin");
    const operator = test.operator.context;
    await create(ada, "/memories/user/tea.md");
    await create(ada, "/memories/agent-user/tea.md", { agentId: "ann" });
    await create(test.context, "/memories/agent/all.md", { agentId: "ann" });
    expect(await pathsOf(ada)).toEqual(["/memories/user/tea.md", "/memories/agent-user/tea.md"]);
    for (const by of [admin, test.context, operator]) {
      expect(await pathsOf(by)).toEqual(["/memories/agent/all.md"]);
    }
    for (const by of [eve, foreign]) expect(await pathsOf(by)).toEqual([]);
    const [own] = await list(ada);
    const unknown = (by: CoreRequest) => refused(getMemory(by, named(by, "mem_unknown")));
    for (const by of [eve, admin, test.context, operator, foreign]) {
      const of = named(by, own!.sId);
      const found = [
        await refused(getMemory(by, of)),
        await refused(updateMemory(by, { ...of, version: 0, content: "" })),
        await refused(removeMemory(by, { ...of, version: 0 })),
      ];
      expect(new Set(found)).toEqual(new Set([await unknown(by)]));
    }
    // The tool has nothing of others either, whichever agent is named.
    const view = { command: "view", path: "/memories/user/tea.md" };
    for (const by of [eve, admin, operator]) {
      const { isError, output } = await run(by, { ...view, agentId: "ann" });
      expect({ isError, output }).toMatchObject({
        isError: true,
        output: expect.stringContaining("does not exist") as string,
      });
    }
    expect(await refused(run(foreign, { ...view, agentId: "ann" }))).toMatch(/^agent_not_found/);
  });

  it("are changed on the version that was read, and erased with their versions", async () => {
    const ada = await openUser("ada@example.com");
    await create(ada, "/memories/user/tea.md");
    const [file] = await list(ada);
    const of = named(ada, file!.sId);
    const changed = await updateMemory(ada, { ...of, version: 0, content: "Likes coffee" });
    expect(changed).toMatchObject({ content: "Likes coffee", memory: { version: 1, bytes: 12 } });
    expect(changed.versions.map(({ content, origin }) => [content, origin.userId])).toEqual([
      ["Likes coffee", ada.caller.user.sid],
      ["Likes tea", ada.caller.user.sid],
    ]);
    const stale = { ...of, version: 0, content: "x" };
    expect(await refused(updateMemory(ada, stale))).toMatch(/^version_conflict/);
    expect(await refused(removeMemory(ada, stale))).toMatch(/^version_conflict/);
    expect(await removeMemory(ada, { ...of, version: 1 })).toEqual({ success: true });
    expect(await list(ada)).toEqual([]);
  });

  const propose = async (path: string, given: object = {}) => {
    const mount: MemoryMount = {
      scope: "agent",
      mayWrite: true,
      agentSid: "ann",
      userId: null,
      spaceId: null,
    };
    const sources = [{ type: "tool", name: "look" }] as const;
    const params = {
      command: "create",
      path: `/memories/agent/${path}`,
      file_text: "New",
      ...given,
    };
    await runMemoryCommands(test.core, test.core.database.db, {
      workspaceId: test.workspace.id,
      mounts: [mount],
      commands: [{ params, writer: { origin: { actionId: "act_1" }, sources } }],
    });
    const input = parseInput(endpoints["memories.listProposals"], { wId: test.workspaceId });
    const { proposals } = await listProposals(test.context, input);
    return proposals.at(-1)!;
  };

  it("take a change that waits once a builder approves it", async () => {
    const eve = await openUser("eve@example.com");
    const proposal = await propose("a.md");
    expect(proposal).toMatchObject({
      path: "/memories/agent/a.md",
      change: "write",
      content: "New",
    });
    const of = { wId: test.workspaceId, proposalId: proposal.sId };
    expect(await refused(approveProposal(eve, of))).toMatch(/^memory_proposal_not_found/);
    expect(await list(test.context)).toEqual([]);
    // Of two who decide at the same time, one is too late.
    const decided = await Promise.all([
      refused(approveProposal(test.context, of)),
      refused(rejectProposal(test.context, of)),
    ]);
    expect(decided.filter((one) => one === "allowed")).toHaveLength(1);
    expect(decided.some((one) => one.startsWith("memory_proposal_not_found"))).toBe(true);
    const again = await propose("b.md");
    await approveProposal(test.context, { wId: test.workspaceId, proposalId: again.sId });
    const [file] = (await list(test.context)).filter(({ path }) => path.endsWith("b.md"));
    expect(file).toMatchObject({ derivedFrom: [{ type: "tool", name: "look" }] });
  });

  it("are edited, renamed and removed as approved changes say", async () => {
    await create(test.context, "/memories/agent/c.md", { agentId: "ann" });
    const approve = async (path: string, given: object) => {
      const { sId } = await propose(path, given);
      await approveProposal(test.context, { wId: test.workspaceId, proposalId: sId });
      const files = await list(test.context);
      return Promise.all(
        files
          .filter((file) => ["c.md", "d.md"].some((name) => file.path.endsWith(name)))
          .map(async ({ sId: id, path: at }) => [
            at,
            (await getMemory(test.context, named(test.context, id))).content,
          ]),
      );
    };
    const edit = { command: "str_replace", old_str: "tea", new_str: "mud" };
    expect(await approve("c.md", edit)).toEqual([["/memories/agent/c.md", "Likes mud"]]);
    const rename = { old_path: "/memories/agent/c.md", new_path: "/memories/agent/d.md" };
    expect(await approve("c.md", { command: "rename", ...rename })).toEqual([
      ["/memories/agent/d.md", "Likes mud"],
    ]);
    expect(await approve("d.md", { command: "delete" })).toEqual([]);
  });

  it("refuse a change whose file has changed since", async () => {
    await create(test.context, "/memories/agent/a.md", { agentId: "ann" });
    const edit = { command: "str_replace", old_str: "tea", new_str: "mud" };
    const proposal = await propose("a.md", edit);
    const [file] = await list(test.context);
    const of = named(test.context, file!.sId);
    await updateMemory(test.context, { ...of, version: 0, content: "Likes water" });
    const decision = { wId: test.workspaceId, proposalId: proposal.sId };
    expect(await refused(approveProposal(test.context, decision))).toMatch(/^version_conflict/);
    expect((await getMemory(test.context, of)).content).toBe("Likes water");
  });

  it("wait for a decision about a change for 30 days", async () => {
    const { now } = test.clock;
    const before = await countWaitingProposals(test.core);
    const { sId } = await propose("a.md");
    expect(await countWaitingProposals(test.core)).toBe(before + 1);
    const waiting = async () => {
      const input = parseInput(endpoints["memories.listProposals"], { wId: test.workspaceId });
      return (await listProposals(test.context, input)).proposals.map((one) => one.sId);
    };
    test.clock.now = now + 30 * 24 * 3_600_000;
    await sweepProposals(test.core);
    expect(await waiting()).toContain(sId);
    test.clock.now++;
    expect(await sweepProposals(test.core)).toBeGreaterThan(0);
    expect(await waiting()).not.toContain(sId);
    test.clock.now = now;
  });

  it("go with their user, and with their space", async () => {
    const admin = await openTestContext(test.core, test.workspace, "admin");
    const { db } = test.core.database;
    const ada = await openUser("ada@example.com");
    await create(ada, "/memories/user/tea.md");
    const space = await createSpace(
      admin,
      parseInput(endpoints["spaces.create"], {
        wId: test.workspaceId,
        name: "Shop",
        isRestricted: true,
      }),
    );
    const spaceId = space.space.sId;
    // A restricted space is there for those who reach it alone.
    expect(await refused(create(test.context, "/memories/space/a", { spaceId }))).toMatch(
      /^space_not_found/,
    );
    const [row] = await db.select().from(spaces).where(eq(spaces.sid, spaceId));
    await db.insert(apiKeySpaces).values({ apiKeyId: admin.caller.apiKey.id, spaceId: row!.id });
    await create(admin, "/memories/space/a", { spaceId });
    expect(await pathsOf(admin)).toEqual(["/memories/space/a"]);
    expect(await pathsOf(test.context)).toEqual([]);
    await deleteSpace(
      admin,
      parseInput(endpoints["spaces.delete"], { wId: test.workspaceId, spaceId }),
    );
    await removeMember(admin, { wId: test.workspaceId, memberId: ada.caller.user.sid });
    const left = await db
      .select({ path: memoryFiles.path })
      .from(memoryFiles)
      .innerJoin(memoryScopes, eq(memoryScopes.id, memoryFiles.scopeId))
      .where(eq(memoryScopes.workspaceId, test.workspace.id));
    expect(left).toEqual([]);
  });
});
