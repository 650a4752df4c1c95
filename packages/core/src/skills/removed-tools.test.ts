import { skillTools } from "@parley/db";
import { openContendedDatabase } from "@parley/db/testing";
import type { ToolServer } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import { createTestCore, insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { createSkill, updateSkill } from "./skill-administration.ts";
import { listSkills } from "./skills.ts";
import { createTool, removeTool } from "../tools/tool-administration.ts";

const ROUNDS = 20;
const server: ToolServer = {
  sId: "srv",
  name: "search",
  version: "1.0.0",
  description: "Searches",
  icon: "icon",
  authorization: { provider: "none", supported_use_cases: [], scope: "" },
  tools: [],
  availability: "manual",
  allowMultipleInstances: false,
  documentationUrl: "",
};

describe("tools that are removed", () => {
  it("leave no link if they are given to skills in the meantime, and lists know", async () => {
    const { database, close } = await openContendedDatabase();
    const { core } = createTestCore(database);
    const workspace = await insertTestWorkspace(core);
    const admin = await openTestContext(core, workspace, "admin");
    const workspaceId = workspace.sid;
    const { space } = await openTestOperator(core).createSpace({
      wId: workspaceId,
      name: "open",
      isRestricted: false,
    });
    const create = async (toolIds: string[]) =>
      createSkill(admin, {
        workspaceId,
        name: "skill",
        agentFacingDescription: "",
        availability: "workspace_users",
        toolIds,
      } as never);
    const { skill } = await create([]);
    let version = 0;
    const outcomes = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const { tool } = await createTool(admin, {
        workspaceId,
        spaceId: space.sId,
        name: "tool",
        description: "",
        serverType: "remote",
        server,
      } as never);
      const toolIds = [tool.sId];
      const change = { wId: workspaceId, skillId: skill.sId, version, toolIds } as never;
      const [updated, created] = await Promise.all([
        refusalOf(updateSkill(admin, change)),
        refusalOf(create(toolIds)),
        removeTool(admin, { wId: workspaceId, toolId: tool.sId, version: 0 }),
      ]);
      if (updated === "accepted") version++;
      outcomes.add(updated).add(created);
      expect(await database.db.select().from(skillTools)).toEqual([]);
      const before = await core.skillStates.read(admin.caller);
      const { skills } = await listSkills(admin, { status: "active" } as never);
      expect(skills.flatMap(({ tools }) => tools)).toEqual([]);
      expect(await core.skillStates.read(admin.caller)).toEqual(before);
    }
    for (const outcome of outcomes)
      expect(["accepted", "400 tool_not_found", "404 tool_not_found"]).toContain(outcome);
    expect(await close()).toEqual({ deadlocks: 0 });
  });
});
