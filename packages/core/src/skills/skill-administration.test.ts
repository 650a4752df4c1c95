import { files } from "@parley/db";
import { type CreateSkill, endpoints, parseInput, type ToolServer } from "@parley/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { createSpace } from "../workspaces/spaces.ts";
import {
  approveSkill,
  archiveSkill,
  createSkill,
  getSkill,
  publishSkill,
  restoreSkill,
  updateSkill,
} from "./skill-administration.ts";
import { listSkills } from "./skills.ts";
import { createTool, listTools, removeTool, updateTool } from "../tools/tool-administration.ts";

const server: ToolServer = {
  sId: "srv",
  name: "search",
  version: "1.0.0",
  description: "Searches",
  icon: "icon",
  authorization: { provider: "none", supported_use_cases: [], scope: "" },
  tools: [{ name: "search", description: "Searches", inputSchema: { type: "object" } }],
  availability: "manual",
  allowMultipleInstances: false,
  documentationUrl: "https://example.com/docs",
};

describe("skills and tools", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  let admin: CoreContext;
  let builder: CoreContext;
  let other: CoreContext;
  let workspaceId: string;
  beforeAll(async () => {
    workspace = await insertTestWorkspace(test.core);
    workspaceId = workspace.sid;
    admin = await openTestContext(test.core, workspace, "admin");
    builder = await openTestContext(test.core, workspace, "builder");
    other = await openTestContext(test.core, workspace, "builder");
  });

  const page = { limit: 100, lastValue: undefined };
  const allTools = async () => (await listTools(admin, { wId: workspaceId, ...page })).tools;
  const create = (more: Partial<CreateSkill> = {}, context = admin) =>
    createSkill(context, {
      wId: workspaceId,
      name: "Greeting",
      agentFacingDescription: "How to greet",
      ...more,
    } as CreateSkill);

  const addTool = (by: CoreContext, spaceId: string, name: string) => {
    const given = {
      wId: workspaceId,
      spaceId,
      name,
      description: "",
      serverType: "remote",
      server,
    };
    return createTool(by, given as never);
  };

  it("creates, approves, publishes, archives and restores, a version each time", async () => {
    const created = await create({
      status: "suggested",
      instructions: "# Hi\n<script>x</script>",
    });
    expect(created).toMatchObject({ version: 0, editorIds: [] });
    expect(created.skill).toMatchObject({
      status: "suggested",
      availability: "editors",
      userFacingDescription: "How to greet",
      source: "api",
      editedBy: admin.caller.user.id,
      isDefault: false,
      canWrite: true,
    });
    expect(created.skill.instructionsHtml).toContain("<h1>Hi</h1>");
    expect(created.skill.instructionsHtml).not.toContain("script");
    const one = { wId: workspaceId, skillId: created.skill.sId };
    const refused = publishSkill(admin, { ...one, version: 0, availability: "users_and_agents" });
    expect(await refusalOf(refused)).toBe("400 invalid_request_error");
    await approveSkill(admin, { ...one, version: 0 });
    const publish = { ...one, version: 1, availability: "users_and_agents" } as const;
    expect((await publishSkill(admin, publish)).skill.isDefault).toBe(true);
    const { skills } = await listSkills(admin, { status: "active" } as never);
    expect(skills.map(({ sId }) => sId)).toContain(one.skillId);
    await archiveSkill(admin, { ...one, version: 2 });
    const restored = await restoreSkill(admin, { ...one, version: 3 });
    expect(restored).toMatchObject({ version: 4, skill: { status: "active" } });
  });

  it("clears what is given as the empty text, and leaves what is not given", async () => {
    const { skill } = await create({ instructions: "# Hi", icon: "wave" });
    expect(skill).toMatchObject({ icon: "wave", instructionsHtml: "<h1>Hi</h1>\n" });
    const one = { wId: workspaceId, skillId: skill.sId };
    const named = await updateSkill(admin, { ...one, version: 0, name: "x" } as never);
    expect(named.skill).toMatchObject({ icon: "wave", instructions: "# Hi" });
    const raw = { ...one, version: 1, instructions: "", icon: "" };
    const cleared = parseInput(endpoints["skills.update"], raw);
    expect((await updateSkill(admin, cleared)).skill).toMatchObject({
      icon: null,
      instructions: null,
      instructionsHtml: null,
    });
  });

  it("refuses a change from a version that is not the newest, and changes nothing", async () => {
    const { skill } = await create();
    const one = { wId: workspaceId, skillId: skill.sId };
    const changes = await Promise.allSettled(
      ["A", "B"].map((name) => updateSkill(admin, { ...one, version: 0, name } as never)),
    );
    expect(changes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const late = updateSkill(admin, { ...one, version: 0, name: "late" } as never);
    expect(await refusalOf(late)).toBe("409 version_conflict");
    const read = await getSkill(admin, one);
    expect(read.version).toBe(1);
    expect(["A", "B"]).toContain(read.skill.name);
  });

  it("lets admins and editors change a skill, and all builders if it has none", async () => {
    const { skill } = await create({ editorIds: [builder.caller.user.sid] });
    const one = { wId: workspaceId, skillId: skill.sId };
    expect((await getSkill(builder, one)).skill.canWrite).toBe(true);
    expect((await getSkill(other, one)).skill.canWrite).toBe(false);
    const refused = updateSkill(other, { ...one, version: 0, name: "x" } as never);
    expect(await refusalOf(refused)).toBe("403 app_auth_error");
    await updateSkill(builder, { ...one, version: 0, editorIds: [] } as never);
    await updateSkill(other, { ...one, version: 1, name: "y" } as never);
    expect(await getSkill(admin, one)).toMatchObject({ version: 2, editorIds: [] });
  });

  it("hides a skill of restricted spaces from keys that do not reach all of them", async () => {
    const close = (...keys: CoreContext[]) => {
      const keyIds = keys.map(({ caller }) => caller.apiKey.sid);
      return createSpace(admin, { wId: workspaceId, name: "Closed", isRestricted: true, keyIds });
    };
    const { space } = await close(admin);
    const { skill } = await create({ spaceIds: [space.sId], availability: "workspace_users" });
    const one = { wId: workspaceId, skillId: skill.sId };
    expect((await getSkill(admin, one)).skill.manuallyRequestedSpaceIds).toEqual([space.sId]);
    expect(await refusalOf(getSkill(other, one))).toBe("404 skill_not_found");
    const spaceIds = [space.sId, (await close(admin, other)).space.sId];
    await updateSkill(admin, { ...one, version: 0, spaceIds } as never);
    expect(await refusalOf(getSkill(other, one))).toBe("404 skill_not_found");
    const renamed = updateSkill(other, { ...one, version: 1, name: "x" } as never);
    expect(await refusalOf(renamed)).toBe("404 skill_not_found");
    const taken = create({ spaceIds: [space.sId] }, other);
    expect(await refusalOf(taken)).toBe("400 space_not_found");
  });

  it("names what it does not know, and writes nothing", async () => {
    const before = await listSkills(admin, {
      status: "active",
      bypassEditorVisibility: true,
    } as never);
    for (const [member, refusal] of [
      ["spaceIds", "400 space_not_found"],
      ["editorIds", "404 member_not_found"],
      ["toolIds", "404 tool_not_found"],
    ] as const) {
      expect(await refusalOf(create({ [member]: ["nothing"] }))).toBe(refusal);
    }
    const after = await listSkills(admin, {
      status: "active",
      bypassEditorVisibility: true,
    } as never);
    expect(after).toEqual(before);
  });

  it("adds tools to skills, and takes them away with the tool", async () => {
    const { space } = await createSpace(admin, { wId: workspaceId, name: "Open" } as never);
    const made = await addTool(builder, space.sId, "Search");
    expect(made.tool).toMatchObject({ spaceId: space.sId, server, isRestrictedToSkills: false });
    const toolId = made.tool.sId;
    const { skill } = await create({ toolIds: [toolId, toolId] });
    expect(skill.tools.map(({ sId }) => sId)).toEqual([toolId]);
    const rename = (name: string, version: number) =>
      updateTool(builder, { wId: workspaceId, toolId, version, name } as never);
    expect(made.version).toBe(0);
    expect(await rename("Find", 0)).toMatchObject({ version: 1, tool: { name: "Find" } });
    expect(await refusalOf(rename("late", 0))).toBe("409 version_conflict");
    expect(await allTools()).toMatchObject([{ version: 1, tool: { sId: toolId, name: "Find" } }]);
    const one = { wId: workspaceId, skillId: skill.sId };
    expect((await getSkill(admin, one)).skill.tools[0]?.name).toBe("Find");
    const late = removeTool(admin, { wId: workspaceId, toolId, version: 0 });
    expect(await refusalOf(late)).toBe("409 version_conflict");
    await removeTool(admin, { wId: workspaceId, toolId, version: 1 });
    expect((await getSkill(admin, one)).skill.tools).toEqual([]);
    expect(await allTools()).toEqual([]);
    expect(await refusalOf(rename("x", 1))).toBe("404 tool_not_found");
  });

  it("refuses a server whose tools take no object, or that is too large", () => {
    const parse = (more: Partial<ToolServer>) =>
      parseInput(endpoints["tools.create"], {
        wId: workspaceId,
        spaceId: "x",
        name: "x",
        description: "",
        serverType: "remote",
        server: { ...server, ...more },
      });
    const [tool] = server.tools;
    const withSchema = (inputSchema: Record<string, unknown>) => ({
      tools: [{ ...tool!, inputSchema }],
    });
    const whole = withSchema({ type: "object", properties: { a: { type: "number" } } });
    expect(parse(whole).server).toEqual({ ...server, ...whole });
    const field = "server.tools[0].inputSchema.type";
    expect(() => parse(withSchema({}))).toThrow(field);
    expect(() => parse(withSchema({ type: "string" }))).toThrow(field);
    expect(() => parse({ description: "x".repeat(256 * 1024) })).toThrow("server: must be at most");
  });

  it("is for the restricted spaces of its tools, which not every builder can add", async () => {
    const closed = { wId: workspaceId, name: "Vault", isRestricted: true };
    const { space } = await createSpace(admin, {
      ...closed,
      keyIds: [builder.caller.apiKey.sid],
    });
    const made = await addTool(builder, space.sId, "Vault");
    const toolIds = [made.tool.sId];
    expect(await refusalOf(create({ toolIds }, other))).toBe("404 tool_not_found");
    const { skill } = await create({ toolIds }, builder);
    const one = { wId: workspaceId, skillId: skill.sId };
    expect(skill.requestedSpaceIds).toEqual([space.sId]);
    expect(await refusalOf(getSkill(other, one))).toBe("404 skill_not_found");
    await updateSkill(builder, { ...one, version: 0, toolIds: [] } as never);
    expect((await getSkill(other, one)).skill.requestedSpaceIds).toEqual([]);
  });

  it("has the files that it was last given, each once and in order", async () => {
    const insert = async (name: string, more: Partial<typeof files.$inferInsert> = {}) => {
      const sid = test.core.newId("fil");
      const [id = 0] = await test.core.takeRowIds(1);
      await test.core.database.db.insert(files).values({
        id,
        sid,
        workspaceId: workspace.id,
        contentType: "text/markdown",
        fileName: `${name}.md`,
        sizeBytes: 0,
        useCase: "conversation",
        status: "ready",
        createdAt: 0,
        ...more,
      });
      return sid;
    };
    const [first, second] = [await insert("b"), await insert("a")];
    const { skill } = await create({ fileIds: [first, second, first] });
    const attached = [
      { fileId: first, fileName: "b.md" },
      { fileId: second, fileName: "a.md" },
    ];
    expect(skill.fileAttachments).toEqual(attached);
    const one = { wId: workspaceId, skillId: skill.sId };
    await updateSkill(admin, { ...one, version: 0, name: "kept" } as never);
    expect((await getSkill(admin, one)).skill.fileAttachments).toEqual(attached);
    for (const unknown of [
      "fil_nothing",
      await insert("announced", { status: "created" }),
      await insert("talked about", { conversationId: 1 }),
      await insert("foreign", { workspaceId: (await insertTestWorkspace(test.core)).id }),
    ]) {
      const refused = updateSkill(admin, { ...one, version: 1, fileIds: [unknown] } as never);
      expect(await refusalOf(refused)).toBe("400 file_not_found");
    }
    await updateSkill(admin, { ...one, version: 1, fileIds: [second] } as never);
    expect((await getSkill(admin, one)).skill.fileAttachments).toEqual(attached.slice(1));
  });

  it("keeps what belongs to another workspace out of reach", async () => {
    const elsewhere = await insertTestWorkspace(test.core);
    const stranger = await openTestContext(test.core, elsewhere, "admin");
    const { skill } = await create();
    const one = { wId: elsewhere.sid, skillId: skill.sId };
    expect(await refusalOf(getSkill(stranger, one))).toBe("404 skill_not_found");
    const changed = archiveSkill(stranger, { ...one, version: 0 });
    expect(await refusalOf(changed)).toBe("404 skill_not_found");
  });
});
