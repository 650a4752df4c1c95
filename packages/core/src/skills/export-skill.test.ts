import { skillAttachments, skills } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import {
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { openFile, type ReadableFile } from "../files/files.ts";
import { exportSkill } from "./export-skill.ts";
import { importSkills } from "./import-skills.ts";
import { createSkill, updateSkill } from "./skill-administration.ts";

interface Uploaded {
  readonly path: string;
  readonly bytes: Uint8Array;
}

describe("exportSkill", () => {
  let test: TestCore;
  let context: CoreContext;
  let other: CoreContext;
  beforeAll(async () => {
    test = await openTestCore();
  });
  beforeEach(async () => {
    context = await openTestContext(test.core, await insertTestWorkspace(test.core), "builder");
    other = await openTestContext(test.core, await insertTestWorkspace(test.core), "builder");
  });
  afterAll(() => test.close());

  const db = () => test.core.database.db;
  const upload = async (files: readonly Uploaded[], by = context) => {
    const raw = { wId: by.caller.workspace.sid };
    const report = await importSkills(by, parseInput(endpoints["skills.import"], raw), files);
    return report.imported[0]!.sId;
  };
  const readAll = async (file: ReadableFile, start = 0, end = file.sizeBytes) =>
    Buffer.concat(await Array.fromAsync(file.read(start, end)));
  const unzip = async (file: ReadableFile): Promise<Uploaded[]> =>
    Object.entries(unzipSync(await readAll(file))).map(([path, bytes]) => ({ path, bytes }));
  /** What a skill is, without what differs between workspaces. */
  const contentOf = async (skillId: string, by = context) => {
    const [row] = await db().select().from(skills).where(eq(skills.sid, skillId));
    const attached = await db()
      .select()
      .from(skillAttachments)
      .where(eq(skillAttachments.skillId, row!.id))
      .orderBy(asc(skillAttachments.position));
    const files = attached.map(async ({ fileId, fileName }) => {
      const file = await openFile(by, { fileId });
      return { fileName, contentType: file.contentType, bytes: await readAll(file) };
    });
    const { name, agentFacingDescription, instructions, instructionsHtml } = row!;
    const texts = { name, agentFacingDescription, instructions, instructionsHtml };
    return { ...texts, files: await Promise.all(files) };
  };
  const document = (description: string, body: string) =>
    Buffer.from(`---\nname: pdf\ndescription: ${JSON.stringify(description)}\n---\n${body}`);

  it("gives what imports to the same skill, with its files", async () => {
    const bytes = Buffer.alloc(600_000, "large ");
    const skillId = await upload([
      {
        path: "pdf/SKILL.md",
        bytes: document('Of "all": #1\n--- ☃', "# Do it\n\n---\n```\n 'x'\n```"),
      },
      { path: "pdf/data/größe.bin", bytes },
      { path: "pdf/empty", bytes: Buffer.of() },
      { path: "pdf/zero.bin", bytes: Buffer.of(0, 255, 10) },
    ]);
    const file = await exportSkill(context, { skillId });
    expect(file).toMatchObject({ contentType: "application/zip", fileName: "pdf.zip" });
    const copy = await upload(await unzip(file), other);
    expect(await contentOf(copy, other)).toEqual(await contentOf(skillId));
    expect((await contentOf(skillId)).files).toHaveLength(3);
  });

  it("has the size that it says, the same bytes each time, and ranges of them", async () => {
    const files = [
      { path: "pdf/SKILL.md", bytes: document("A", "B") },
      { path: "pdf/a.bin", bytes: Buffer.alloc(300_000, 7) },
    ];
    const skillId = await upload(files);
    const file = await exportSkill(context, { skillId });
    const whole = await readAll(file);
    expect(whole).toHaveLength(file.sizeBytes);
    const again = await exportSkill(context, { skillId });
    expect(again.sha256).toBe(file.sha256);
    expect(await readAll(again)).toEqual(whole);
    for (const [start, end] of [
      [0, 1],
      [29, 200_000],
      [file.sizeBytes - 22, file.sizeBytes],
    ] as const) {
      expect(await readAll(file, start, end)).toEqual(whole.subarray(start, end));
    }
    const change = { wId: context.caller.workspace.sid, skillId, version: 0, instructions: "C" };
    test.clock.now += 5000;
    await updateSkill(context, parseInput(endpoints["skills.update"], change));
    expect((await exportSkill(context, { skillId })).sha256).not.toBe(file.sha256);
  });

  it("fails if a file is gone in the meantime, and says nothing that is wrong", async () => {
    const skillId = await upload([
      { path: "pdf/SKILL.md", bytes: document("A", "B") },
      { path: "pdf/a.bin", bytes: Buffer.alloc(300_000, 7) },
    ]);
    const file = await exportSkill(context, { skillId });
    const { id } = context.caller.workspace;
    await db().execute(`delete from files where workspace_id = ${id}` as never);
    await expect(readAll(file)).rejects.toThrow("The file was deleted while it was read");
  });

  it("changes names that no folder may have", async () => {
    const wId = context.caller.workspace.sid;
    const raw = { wId, name: "Refund an order!", agentFacingDescription: "Refunds" };
    const { skill } = await createSkill(context, parseInput(endpoints["skills.create"], raw));
    const file = await exportSkill(context, { skillId: skill.sId });
    expect(file.fileName).toBe("refund-an-order.zip");
    const entries = await unzip(file);
    expect(entries.map(({ path }) => path)).toEqual(["refund-an-order/SKILL.md"]);
    const copy = await upload(entries, other);
    expect(await contentOf(copy, other)).toMatchObject({
      name: "refund-an-order",
      agentFacingDescription: "Refunds",
      instructions: "",
    });
  });

  it("is of a skill that the caller reaches", async () => {
    const skillId = await upload([{ path: "pdf/SKILL.md", bytes: document("A", "B") }]);
    expect(await refusalOf(exportSkill(other, { skillId }))).toBe("404 skill_not_found");
    const operator = openTestOperator(test.core);
    const wId = context.caller.workspace.sid;
    const { space } = await operator.createSpace({ wId, name: "Closed", isRestricted: true });
    await db()
      .update(skills)
      .set({ manuallyRequestedSpaceIds: [space.sId] })
      .where(and(eq(skills.sid, skillId)));
    expect(await refusalOf(exportSkill(context, { skillId }))).toBe("404 skill_not_found");
  });
});
