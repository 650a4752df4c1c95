import { skillAttachments, skills, skillTools, spaces, tools } from "@parley/db";
import { endpoints, parseInput, SkillList, type WorkspaceRole } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { listSkills } from "./skills.ts";

const statuses = ["active", "archived", "suggested"] as const;
const availabilities = ["editors", "workspace_users", "users_and_agents"] as const;
const roles = ["user", "builder", "admin"] as const;
const asked = [undefined, ...availabilities, ["editors", "workspace_users"]];
const bypasses = [undefined, "true", "TRUE", ["true", "true"]];

const matrix = roles.flatMap((role) =>
  [undefined, "archived"].flatMap((status) =>
    asked.flatMap((availability) =>
      bypasses.map((bypassEditorVisibility) => ({
        role,
        query: { status, availability, bypassEditorVisibility },
      })),
    ),
  ),
);

describe("listSkills", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  const contexts = new Map<WorkspaceRole, CoreContext>();
  beforeAll(async () => {
    workspace = await insertTestWorkspace(test.core);
    for (const role of roles) {
      contexts.set(role, await openTestContext(test.core, workspace, role));
    }
    const stranger = await insertTestWorkspace(test.core);
    await test.core.database.db.insert(skills).values(
      [workspace, stranger].flatMap(({ id, sid }) =>
        statuses.flatMap((status) =>
          availabilities.map((availability) => ({
            sid: `skl_${sid}_${status}_${availability}`,
            workspaceId: id,
            name: `${status} ${availability}`,
            status,
            availability,
            agentFacingDescription: "",
            userFacingDescription: "",
            reinforcement: "auto" as const,
            createdAt: 0,
            updatedAt: 0,
          })),
        ),
      ),
    );
  });

  const list = (role: WorkspaceRole, query: object = {}) => {
    const input = parseInput(endpoints["skills.list"], { wId: workspace.sid, ...query });
    return listSkills(contexts.get(role)!, input);
  };

  it("lists what status, availability, bypass and role allow, and refuses the rest", async () => {
    const answers = [];
    const expected = [];
    for (const { role, query } of matrix) {
      const answer = await list(role, query).then(
        (listed) => listed.skills.map((skill) => skill.name),
        (error: { status: number; type: string }) => `${error.status} ${error.type}`,
      );
      answers.push({ role, query, answer });
      const bypass = query.bypassEditorVisibility === "true";
      const wanted = [query.availability ?? availabilities].flat();
      const names = availabilities
        .filter((availability) => wanted.includes(availability))
        .filter((availability) => bypass || availability !== "editors")
        .map((availability) => `${query.status ?? "active"} ${availability}`);
      const refused = bypass && role !== "admin";
      expected.push({ role, query, answer: refused ? "403 app_auth_error" : names.toSorted() });
    }
    expect(answers).toEqual(expected);
  });

  it("shows every key of a skill, its files and tools in their order", async () => {
    const { db } = test.core.database;
    const sid = `skl_${workspace.sid}_active_users_and_agents`;
    const [skill] = await db.select().from(skills).where(eq(skills.sid, sid));
    const [space] = await db.select().from(spaces).where(eq(spaces.workspaceId, workspace.id));
    const server = {
      sId: "mcp_1",
      name: "server",
      version: "1",
      description: "",
      icon: "",
      authorization: { provider: "", supported_use_cases: [], scope: "" },
      tools: [{ name: "look", description: "", inputSchema: { type: "object" } }],
      availability: "manual" as const,
      allowMultipleInstances: false,
      documentationUrl: "",
    };
    const rows = await db
      .insert(tools)
      .values(
        ["msv_a", "msv_b"].map((toolSid) => ({
          sid: toolSid,
          workspaceId: workspace.id,
          spaceId: space!.id,
          name: toolSid,
          description: "",
          serverType: "remote" as const,
          server,
          oAuthUseCase: "platform_actions" as const,
          isRestrictedToSkills: true,
          editedBy: contexts.get("admin")!.caller.user.id,
          createdAt: 1,
          updatedAt: 2,
        })),
      )
      .returning();
    await db
      .insert(skillTools)
      .values(
        rows.map((row, index) => ({ skillId: skill!.id, toolId: row.id, position: 1 - index })),
      );
    const files = ["second", "first"].map((fileName, index) => ({
      skillId: skill!.id,
      position: 1 - index,
      fileId: `fil_${fileName}`,
      fileName,
    }));
    await db.insert(skillAttachments).values(files);

    const answer = await list("builder", { availability: "users_and_agents" });
    expect(SkillList.strict().parse(answer)).toEqual(answer);
    expect(answer.skills).toMatchObject([
      {
        sId: sid,
        isDefault: true,
        canRead: true,
        canWrite: true,
        instructions: null,
        fileAttachments: [{ fileName: "first" }, { fileName: "second" }],
        tools: [
          {
            sId: "msv_b",
            spaceId: space!.sid,
            server: { ...server, documentationUrl: "http://parley.test/docs" },
            editedByUser: { editedAt: 2, imageUrl: "http://parley.test/pictures/user-1.svg" },
          },
          { sId: "msv_a" },
        ],
      },
    ]);
    const { skills: forUsers } = await list("user");
    expect(forUsers.map(({ canWrite, isDefault }) => [canWrite, isDefault])).toEqual([
      [false, true],
      [false, false],
    ]);
  });
});
