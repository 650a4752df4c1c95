import {
  apiKeys,
  apiKeySpaces,
  type Queryable,
  skillAttachments,
  skillEditors,
  skills,
  skillTools,
  skillVersions,
  spaces,
  tools,
  users,
} from "@parley/db";
import { openContendedDatabase } from "@parley/db/testing";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator } from "../../testing/operator.ts";
import { createTestCore, insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext, Core } from "../create-core.ts";
import type { SpaceRow, WorkspaceRow } from "../data-access/rows.ts";
import { deleteWorkspace } from "../delete-workspace.ts";

/** Tables that hang on skills or tools but of which no list shows anything. */
const unlisted: readonly string[] = [
  "skill_originals",
  "skill_versions",
  "skill_definitions",
  "agent_skills",
  "agent_tools",
  "conversation_tools",
  "tool_approvals",
  "tool_authorization_requests",
  "tool_authorizations",
  "tool_connections",
];

async function insertSkill(
  core: Core,
  { db, workspace }: { db: Queryable; workspace: WorkspaceRow },
): Promise<number> {
  const [row] = await db
    .insert(skills)
    .values({
      sid: core.newId("skl"),
      workspaceId: workspace.id,
      name: "skill",
      status: "active",
      availability: "workspace_users",
      agentFacingDescription: "",
      userFacingDescription: "",
      reinforcement: "off",
      createdAt: 0,
      updatedAt: 0,
    })
    .returning();
  return row!.id;
}

describe("the state of the lists of skills", () => {
  const test = workspaceTest({ per: "suite", keepRuns: true });
  let space: SpaceRow;
  let db: Queryable;
  beforeAll(async () => {
    ({ db } = test.core.database);
    [space] = (await db.select().from(spaces).where(eq(spaces.workspaceId, test.workspace.id))) as [
      SpaceRow,
    ];
  });

  const read = (of = test.context) => test.core.skillStates.read(of.caller);
  /** Every change that a list may show, in the order in which the rows can be there. */
  const changes = (): Record<string, () => Promise<unknown>> => {
    let skillId = 0;
    let toolId = 0;
    let otherId = 0;
    const ofSkill = () => eq(skillAttachments.skillId, skillId);
    const ofLink = () => eq(skillTools.skillId, skillId);
    const ofKey = () => eq(apiKeySpaces.apiKeyId, test.context.caller.apiKey.id);
    const file = { position: 0, fileId: "fil_1", fileName: "a.md" };
    const times = { createdAt: 0, updatedAt: 0 };
    const tool = {
      sid: "msv_1",
      workspaceId: test.workspace.id,
      spaceId: space.id,
      name: "tool",
      description: "",
      serverType: "internal" as const,
      server: {} as never,
      oAuthUseCase: "platform_actions" as const,
      isRestrictedToSkills: false,
      editedBy: test.context.caller.user.id,
      ...times,
    };
    const other = {
      sid: "vlt_1",
      workspaceId: test.workspace.id,
      name: "other",
      kind: "regular",
      isRestricted: true,
      ...times,
    };
    return {
      "a skill is inserted": async () =>
        (skillId = await insertSkill(test.core, { db, workspace: test.workspace })),
      "a skill is updated": async () =>
        db.update(skills).set({ name: "two" }).where(eq(skills.id, skillId)),
      "a file is inserted": async () => db.insert(skillAttachments).values({ skillId, ...file }),
      "a file is updated": async () =>
        db.update(skillAttachments).set({ fileName: "b.md" }).where(ofSkill()),
      "a tool is inserted": async () => {
        const [row] = await db.insert(tools).values(tool).returning();
        toolId = row!.id;
      },
      "a tool is updated": async () =>
        db.update(tools).set({ name: "b" }).where(eq(tools.id, toolId)),
      "a tool is given to a skill": async () =>
        db.insert(skillTools).values({ skillId, toolId, position: 0 }),
      "a tool changes its place": async () =>
        db.update(skillTools).set({ position: 1 }).where(ofLink()),
      "who edited a tool is renamed": async () =>
        db.update(users).set({ fullName: "New" }).where(eq(users.id, tool.editedBy)),
      "a skill is given an editor": async () =>
        db.insert(skillEditors).values({ skillId, userId: test.context.caller.user.id }),
      "a skill loses an editor": async () =>
        db.delete(skillEditors).where(eq(skillEditors.skillId, skillId)),
      "a space is inserted": async () => {
        const [row] = await db.insert(spaces).values(other).returning();
        otherId = row!.id;
      },
      "a space is updated": async () =>
        db.update(spaces).set({ isRestricted: false }).where(eq(spaces.id, otherId)),
      "a key is given a space": async () =>
        db
          .insert(apiKeySpaces)
          .values({ apiKeyId: test.context.caller.apiKey.id, spaceId: otherId }),
      "a key loses a space": async () => db.delete(apiKeySpaces).where(ofKey()),
      "a key changes its role": async () =>
        db
          .update(apiKeys)
          .set({ role: "builder" })
          .where(eq(apiKeys.id, test.context.caller.apiKey.id)),
      "a space is deleted": async () => db.delete(spaces).where(eq(spaces.id, otherId)),
      "a tool is taken from a skill": async () => db.delete(skillTools).where(ofLink()),
      "a tool is deleted": async () => db.delete(tools).where(eq(tools.id, toolId)),
      "a file is deleted": async () => db.delete(skillAttachments).where(ofSkill()),
      "a skill is deleted": async () => db.delete(skills).where(eq(skills.id, skillId)),
    };
  };

  it("gets a version it never had at every change, and another workspace keeps its own", async () => {
    const stranger = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const strangers = await read(stranger);
    const seen = [(await read()).version];
    for (const [name, change] of Object.entries(changes())) {
      await change();
      const { version } = await read();
      expect(seen, name).not.toContain(version);
      seen.push(version);
    }
    expect(await read(stranger)).toEqual(strangers);
  });

  it("watches every table that hangs on skills, tools or the spaces of keys", async () => {
    const { rows } = (await db.execute(sql`
        select distinct c.conrelid::regclass::text as name,
          exists (select from pg_trigger t
            where t.tgrelid = c.conrelid and t.tgname = 'raise_skill_version') as watched
        from pg_constraint c
        where c.contype = 'f' and c.confrelid in ('skills'::regclass, 'tools'::regclass)`)) as {
      rows?: { name: string; watched: boolean }[];
    };
    expect(rows?.map(({ name }) => name)).toContain("skill_tools");
    const forgotten = rows?.filter((one) => !one.watched && !unlisted.includes(one.name));
    expect(forgotten).toEqual([]);
  });

  it("changes with the commit, once for many rows, and not if it is rolled back", async () => {
    const before = await read();
    const ids = await test.core.database.transaction(async (tx) => {
      const first = await insertSkill(test.core, { db: tx, workspace: test.workspace });
      await tx.update(skills).set({ name: "two" }).where(eq(skills.id, first));
      const mine = await tx
        .select()
        .from(skillVersions)
        .where(eq(skillVersions.workspaceId, test.workspace.id));
      expect(String(mine[0]?.version ?? 0)).toBe(before.version);
      return [first, await insertSkill(test.core, { db: tx, workspace: test.workspace })];
    });
    const after = await read();
    expect(after.version).not.toBe(before.version);
    await expect(
      test.core.database.transaction(async (tx) => {
        await tx.delete(skills).where(eq(skills.id, ids[0]!));
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await read()).toEqual(after);
  });

  it("tells apart who may see different things, and nobody else", async () => {
    const operator = openTestOperator(test.core);
    const open = async (role: "user" | "admin") => openTestContext(test.core, test.workspace, role);
    const keys = [await open("user"), await open("user"), await open("admin"), await open("user")];
    const restricted = async (name: string, ...of: CoreContext[]) =>
      operator.createSpace({
        wId: test.workspaceId,
        name,
        isRestricted: true,
        keyIds: of.map(({ caller }) => caller.apiKey.sid),
      });
    const [one, two, admin, three] = keys as [CoreContext, CoreContext, CoreContext, CoreContext];
    expect((await read(one)).access).toBe((await read(two)).access);
    await restricted("a", one, two, admin);
    await restricted("b", one);
    // Asked together, as they share a statement.
    const states = await Promise.all([one, two, admin, three, one].map((of) => read(of)));
    expect(new Set(states.map(({ access }) => access)).size).toBe(4);
    expect(states[4]).toEqual(states[0]);
    expect(new Set(states.map(({ version }) => version)).size).toBe(1);
  });

  it("is each caller's own if a key's role changed between two that ask together", async () => {
    const { caller } = await openTestContext(test.core, test.workspace, "admin");
    const lowered = { ...caller, apiKey: { ...caller.apiKey, role: "user" as const } };
    const states = await Promise.all(
      [caller, lowered, caller].map((one) => test.core.skillStates.read(one)),
    );
    expect(states.map(({ access }) => access.split(";")[0])).toEqual(["admin", "user", "admin"]);
  });

  it("goes with its workspace", async () => {
    const gone = await insertTestWorkspace(test.core);
    const admin = await openTestContext(test.core, gone, "admin");
    const [its] = await db.select().from(spaces).where(eq(spaces.workspaceId, gone.id));
    await db.update(spaces).set({ name: "x" }).where(eq(spaces.id, its!.id));
    const count = () => db.$count(skillVersions, eq(skillVersions.workspaceId, gone.id));
    expect(await count()).toBe(1);
    await deleteWorkspace(admin, { wId: gone.sid });
    expect(await count()).toBe(0);
  });
});

describe("changes of skills at once", () => {
  it("never wait for each other in a circle, in whichever order they take the skills", async () => {
    const { database, close } = await openContendedDatabase();
    const test = createTestCore(database);
    const workspace = await insertTestWorkspace(test.core);
    const ids: number[] = [];
    for (let count = 0; count < 2; count++)
      ids.push(await insertSkill(test.core, { db: database.db, workspace }));
    // Each changes two skills; whoever has changed the second waits for nobody but the version.
    const rename = async (order: readonly number[], name: string) =>
      database.transaction(async (tx) => {
        for (const id of order) await tx.update(skills).set({ name }).where(eq(skills.id, id));
      });
    const insert = async () =>
      database.transaction(async (tx) => {
        await insertSkill(test.core, { db: tx, workspace });
        await tx.update(skills).set({ name: "d" }).where(eq(skills.id, ids[0]!));
      });
    for (let round = 0; round < 20; round++) {
      await Promise.all([rename(ids, "x"), insert(), rename(ids, "y"), insert()]);
    }
    expect(await close()).toEqual({ deadlocks: 0 });
  });
});
