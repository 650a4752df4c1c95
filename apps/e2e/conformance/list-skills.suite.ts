import { createRpcClient } from "parley-client";
import { SkillList } from "@parley/schema";
import { expect, test } from "vitest";
import { type Answer, expectError, jsonOf, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { expectShape } from "../shape.ts";
import { skillList } from "./wire-shapes.ts";

// The demo workspace has a skill for each pair of status and availability.

function namesIn(answer: Answer): string[] {
  const { raw, parsed } = jsonOf(answer, SkillList);
  expectShape(raw, skillList);
  for (const skill of parsed.skills) {
    expect(skill.name).toBe(`${skill.status}-${skill.availability.replaceAll("_", "-")}`);
    expect(skill.isDefault).toBe(skill.availability === "users_and_agents");
    expect(skill.sId).toMatch(/^skl_/);
  }
  return parsed.skills.map((skill) => skill.name);
}

/** The tests of the listing of skills. */
export function listSkillsSuite(server: () => Server): void {
  const list = (query: string, key?: string) =>
    send(server(), {
      path: `${pathsOf(server()).skills}?${query}`,
      ...(key !== undefined && { key }),
    });

  const everyone = [
    { query: "", names: ["active-users-and-agents", "active-workspace-users"] },
    { query: "status=active", names: ["active-users-and-agents", "active-workspace-users"] },
    { query: "status=archived", names: ["archived-users-and-agents", "archived-workspace-users"] },
    {
      query: "status=suggested",
      names: ["suggested-users-and-agents", "suggested-workspace-users"],
    },
    { query: "availability=workspace_users", names: ["active-workspace-users"] },
    {
      query: "availability=workspace_users&availability=users_and_agents",
      names: ["active-users-and-agents", "active-workspace-users"],
    },
    {
      // The array form of a common HTTP library.
      query: "availability[]=workspace_users&availability[]=users_and_agents",
      names: ["active-users-and-agents", "active-workspace-users"],
    },
    { query: "availability%5B%5D=workspace_users", names: ["active-workspace-users"] },
    {
      query: "status=archived&availability=users_and_agents&availability=users_and_agents",
      names: ["archived-users-and-agents"],
    },
    { query: "availability=editors", names: [] },
    {
      query: "availability=editors&availability=workspace_users",
      names: ["active-workspace-users"],
    },
    { query: "nobody=knows&limit=1", names: ["active-users-and-agents", "active-workspace-users"] },
    ...["1", "TRUE", "True", "yes", "", "false", "true&bypassEditorVisibility=true"].map(
      (value) => ({
        query: `availability=editors&bypassEditorVisibility=${value}`,
        names: [],
      }),
    ),
  ];

  test.for(everyone)("`$query` gives every key the same", async ({ query, names }) => {
    const { adminKey, userKey } = server().demo;
    for (const key of [adminKey, userKey]) expect(namesIn(await list(query, key))).toEqual(names);
  });

  const admins = [
    {
      query: "",
      names: ["active-editors", "active-users-and-agents", "active-workspace-users"],
    },
    { query: "&availability=editors", names: ["active-editors"] },
    { query: "&availability=workspace_users", names: ["active-workspace-users"] },
    {
      query: "&availability=editors&availability=users_and_agents&status=suggested",
      names: ["suggested-editors", "suggested-users-and-agents"],
    },
  ];

  test.for(admins)(
    "an admin who bypasses the visibility adds `$query`",
    async ({ query, names }) => {
      expect(namesIn(await list(`bypassEditorVisibility=true${query}`))).toEqual(names);
    },
  );

  test("no other role may bypass the visibility", async () => {
    const { operatorKey, workspaceId, userKey } = server().demo;
    const operator = createRpcClient({ url: server().url, apiKey: operatorKey });
    const builder = { wId: workspaceId, name: "builder", role: "builder" } as const;
    const { secret } = await operator.apiKeys.create.mutate(builder);
    for (const key of [userKey, secret]) {
      expectError(await list("bypassEditorVisibility=true", key), "app_auth_error");
      expect(namesIn(await list("bypassEditorVisibility=nearly", key))).toHaveLength(2);
    }
  });

  test("the tool of a skill is whole", async () => {
    const { parsed } = jsonOf(await list(""), SkillList);
    const [tool] = parsed.skills[0]?.tools ?? [];
    expect(tool?.sId).toMatch(/^msv_/);
    expect(tool).toMatchObject({ name: "calculator", spaceId: server().demo.spaceId });
    expect(tool?.server.tools[0]?.inputSchema).toMatchObject({ type: "object" });
  });
}
