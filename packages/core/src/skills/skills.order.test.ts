import { skills } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { asc, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { insertTestWorkspace, openTestContext, openTestCore } from "../../testing/testing.ts";
import { listSkills } from "./skills.ts";

// In the order of their characters, which is not any language's.
const names = ["B", "Z", "_", "a", "a b", "a-b", "ab", "b", "é"];

it("lists skills in one order, whatever the database's language", async () => {
  const test = await openTestCore();
  try {
    const { db } = test.core.database;
    const collation = sql`alter column name type text collate "und-x-icu"`;
    await db.execute(sql`alter table ${skills} ${collation}`);
    const workspace = await insertTestWorkspace(test.core);
    const context = await openTestContext(test.core, workspace);
    await db.insert(skills).values(
      names.toReversed().map((name) => ({
        sid: test.core.newId("skl"),
        workspaceId: workspace.id,
        name,
        status: "active" as const,
        availability: "workspace_users" as const,
        agentFacingDescription: "",
        userFacingDescription: "",
        reinforcement: "auto" as const,
        createdAt: 0,
        updatedAt: 0,
      })),
    );
    const byLanguage = await db.select().from(skills).orderBy(asc(skills.name));
    expect(byLanguage.map(({ name }) => name)).not.toEqual(names);
    const input = parseInput(endpoints["skills.list"], { wId: workspace.sid });
    const listed = await listSkills(context, input);
    expect(listed.skills.map(({ name }) => name)).toEqual(names);
  } finally {
    await test.close();
  }
});
