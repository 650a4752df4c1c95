import { skillAttachments, skills } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import { unzipSync } from "fflate";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
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
  const test = workspaceTest({ role: "builder" });
  let other: CoreContext;
  beforeEach(async () => {
    other = await openTestContext(test.core, await insertTestWorkspace(test.core), "builder");
  });

  const db = () => test.core.database.db;
  const upload = async (files: readonly Uploaded[], by = test.context) => {
    const raw = { wId: by.caller.workspace.sid };
    const report = await importSkills(by, parseInput(endpoints["skills.import"], raw), files);
    return report.imported[0]!.sId;
  };
  const readAll = async (file: ReadableFile, start = 0, end = file.sizeBytes) =>
    Buffer.concat(await Array.fromAsync(file.read(start, end)));
  const unzip = async (file: ReadableFile): Promise<Uploaded[]> =>
    Object.entries(unzipSync(await readAll(file))).map(([path, bytes]) => ({ path, bytes }));
  /** What a skill is, without what differs between workspaces. */
  const contentOf = async (skillId: string, by = test.context) => {
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
    const file = await exportSkill(test.context, { skillId });
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
    const file = await exportSkill(test.context, { skillId });
    const whole = await readAll(file);
    expect(whole).toHaveLength(file.sizeBytes);
    const again = await exportSkill(test.context, { skillId });
    expect(again.sha256).toBe(file.sha256);
    expect(await readAll(again)).toEqual(whole);
    for (const [start, end] of [
      [0, 1],
      [29, 200_000],
      [file.sizeBytes - 22, file.sizeBytes],
    ] as const) {
      expect(await readAll(file, start, end)).toEqual(whole.subarray(start, end));
    }
    const change = {
      wId: test.workspaceId,
      skillId,
      version: 0,
      instructions: "C",
    };
    test.clock.now += 5000;
    await updateSkill(test.context, parseInput(endpoints["skills.update"], change));
    expect((await exportSkill(test.context, { skillId })).sha256).not.toBe(file.sha256);
  });

  it("fails if a file is gone in the meantime, and says nothing that is wrong", async () => {
    const skillId = await upload([
      { path: "pdf/SKILL.md", bytes: document("A", "B") },
      { path: "pdf/a.bin", bytes: Buffer.alloc(300_000, 7) },
    ]);
    const file = await exportSkill(test.context, { skillId });
    const { id } = test.context.caller.workspace;
    await db().execute(`delete from files where workspace_id = ${id}` as never);
    await expect(readAll(file)).rejects.toThrow("The file was deleted while it was read");
  });

  it("changes names that no folder may have", async () => {
    const wId = test.workspaceId;
    const raw = { wId, name: "Refund an order!", agentFacingDescription: "Refunds" };
    const { skill } = await createSkill(test.context, parseInput(endpoints["skills.create"], raw));
    const file = await exportSkill(test.context, { skillId: skill.sId });
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
    const wId = test.workspaceId;
    const { space } = await operator.createSpace({ wId, name: "Closed", isRestricted: true });
    await db()
      .update(skills)
      .set({ manuallyRequestedSpaceIds: [space.sId] })
      .where(and(eq(skills.sid, skillId)));
    expect(await refusalOf(exportSkill(test.context, { skillId }))).toBe("404 skill_not_found");
  });
});
