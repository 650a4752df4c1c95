import { files, skillDefinitions, skills } from "@parley/db";
import { type CreateSkill, endpoints, MAX_SKILL_VERSIONS, parseInput } from "@parley/schema";
import { and, eq, gt } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { openTestContext } from "../../testing/testing.ts";
import type { RequestContext } from "../context.ts";
import type { CoreContext } from "../create-core.ts";
import { importSkills } from "./import-skills.ts";
import { archiveSkill, createSkill, updateSkill } from "./skill-administration.ts";
import { listSkillVersions } from "./skill-versions.ts";

describe("the versions of a skill", () => {
  const test = workspaceTest({ per: "suite", role: "builder", keepRuns: true });
  let another: CoreContext;
  beforeAll(async () => {
    another = await openTestContext(test.core, test.workspace, "builder");
  });

  const db = () => test.core.database.db;
  const list = (skillId: string, more: object = {}, by: RequestContext = test.context) =>
    listSkillVersions(
      by,
      parseInput(endpoints["skills.listVersions"], { wId: test.workspaceId, skillId, ...more }),
    );
  const create = async (more: Partial<CreateSkill> = {}) => {
    const given = {
      wId: test.workspaceId,
      name: "Greeting",
      agentFacingDescription: "Greets",
      ...more,
    };
    return (await createSkill(test.context, given as CreateSkill)).skill.sId;
  };
  const update = async (
    skillId: string,
    version: number,
    more: object,
    by: RequestContext = test.context,
  ) => updateSkill(by, { wId: test.workspaceId, skillId, version, ...more } as never);
  const editorOf = ({ caller: { user } }: CoreContext) => ({ sId: user.sid, name: user.fullName });

  it("has who changed what and when, newest first", async () => {
    const skillId = await create({ instructions: "Say hello" });
    const created = test.clock.now;
    test.clock.now += 1000;
    await update(skillId, 0, { instructions: "Say goodbye" }, another);
    await update(skillId, 1, { name: "Farewell" }, test.operator.context);
    await archiveSkill(test.context, { wId: test.workspaceId, skillId, version: 2 });
    const { versions, ...end } = await list(skillId);
    expect(end).toEqual({ hasMore: false, lastValue: "0" });
    expect(versions.at(-1)).toEqual({
      version: 0,
      createdAt: created,
      editor: editorOf(test.context),
      name: "Greeting",
      status: "active",
      availability: "editors",
      agentFacingDescription: "Greets",
      userFacingDescription: "Greets",
      icon: null,
      source: "api",
      sourceMetadata: null,
      reinforcement: "auto",
      manuallyRequestedSpaceIds: [],
      instructions: "Say hello",
      fileAttachments: [],
      tools: [],
    });
    const changed = versions.map(({ version, name, status, instructions, editor }) => {
      return [version, name, status, instructions, editor];
    });
    expect(changed).toEqual([
      [3, "Farewell", "archived", "Say goodbye", editorOf(test.context)],
      [2, "Farewell", "active", "Say goodbye", null],
      [1, "Greeting", "active", "Say goodbye", editorOf(another)],
      [0, "Greeting", "active", "Say hello", editorOf(test.context)],
    ]);
    expect(versions[2]?.createdAt).toBe(created + 1000);
  });

  it("has what imports wrote and replaced, with the names of files that are gone", async () => {
    const input = { wId: test.workspaceId, onConflict: "override" } as never;
    const folder = (text: string, file: string) => [
      { path: "hi/SKILL.md", bytes: Buffer.from(`---\nname: hi\ndescription: d\n---\n${text}`) },
      { path: `hi/${file}`, bytes: Buffer.from(text) },
    ];
    const first = await importSkills(test.context, input, folder("one", "a.txt"));
    const sId = first.imported[0]?.sId ?? "";
    await importSkills(test.context, input, folder("two", "b.txt"));
    const { versions } = await list(sId);
    expect(
      versions.map(({ instructions, fileAttachments: [file] }) => [instructions, file?.fileName]),
    ).toEqual([
      ["two", "b.txt"],
      ["one", "a.txt"],
    ]);
    const sid = versions[1]?.fileAttachments[0]?.fileId ?? "";
    expect(await db().select().from(files).where(eq(files.sid, sid))).toEqual([]);
  });

  it("pages without a gap or a repeat, and a page of large ones has fewer", async () => {
    const skillId = await create();
    for (let version = 0; version < 5; version++) {
      await update(skillId, version, { instructions: `${version}`.repeat(1_000_000) });
    }
    const first = await list(skillId);
    expect(first.versions.map(({ version }) => version)).toEqual([5, 4, 3, 2]);
    expect(first).toMatchObject({ hasMore: true, lastValue: "2" });
    const second = await list(skillId, { lastValue: first.lastValue, limit: 1 });
    expect(second.versions.map(({ version }) => version)).toEqual([1]);
    const third = await list(skillId, { lastValue: second.lastValue, limit: 1 });
    expect(third).toMatchObject({ versions: [{ version: 0 }], hasMore: false });
    expect(await list(skillId, { lastValue: "0" })).toEqual({
      versions: [],
      hasMore: false,
      lastValue: null,
    });
  });

  it("keeps the newest ones", async () => {
    const skillId = await create();
    const ofSkill = eq(skills.sid, skillId);
    await db().update(skills).set({ version: MAX_SKILL_VERSIONS }).where(ofSkill);
    await update(skillId, MAX_SKILL_VERSIONS, { name: "New" });
    const { versions } = await list(skillId, { limit: 100 });
    expect(versions.map(({ version }) => version)).toEqual([
      MAX_SKILL_VERSIONS + 1,
      MAX_SKILL_VERSIONS,
    ]);
  });

  it("has what a process changed that stored no versions", async () => {
    const skillId = await create();
    const ofSkill = eq(skills.sid, skillId);
    await db().update(skills).set({ version: 1, instructions: "old", updatedAt: 7 }).where(ofSkill);
    await update(skillId, 1, { instructions: "new" }, another);
    const { versions } = await list(skillId);
    expect(versions.map(({ version, instructions }) => [version, instructions])).toEqual([
      [2, "new"],
      [1, "old"],
      [0, null],
    ]);
    expect(versions[1]).toMatchObject({ createdAt: 7, editor: editorOf(test.context) });
  });

  it("is not for who does not reach the skill, or the spaces that it was in", async () => {
    const keyIds = [test.context.caller.apiKey.sid];
    const closed = { wId: test.workspaceId, name: "Closed", isRestricted: true, keyIds };
    const { space } = await test.operator.createSpace(closed);
    const skillId = await create({ spaceIds: [space.sId], instructions: "secret" });
    expect(await refusalOf(list(skillId, {}, another))).toBe("404 skill_not_found");
    await update(skillId, 0, { spaceIds: [], instructions: "public" });
    expect((await list(skillId)).versions).toHaveLength(2);
    expect((await list(skillId, {}, test.operator.context)).versions).toHaveLength(2);
    const { versions, hasMore } = await list(skillId, {}, another);
    expect(versions.map(({ instructions }) => instructions)).toEqual(["public"]);
    expect(hasMore).toBe(false);
    expect(await refusalOf(list("nobody"))).toBe("404 skill_not_found");
  });

  it("has none that a refused change would have made", async () => {
    const skillId = await create();
    const wrong = update(skillId, 0, { name: "x", toolIds: ["nobody"] });
    expect(await refusalOf(wrong)).toBe("404 tool_not_found");
    const [row] = await db().select().from(skills).where(eq(skills.sid, skillId));
    const later = and(eq(skillDefinitions.skillId, row!.id), gt(skillDefinitions.version, 0));
    expect(await db().select().from(skillDefinitions).where(later)).toEqual([]);
  });
});
