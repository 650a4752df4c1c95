import { files, skillAttachments, skillEditors, skills, users } from "@parley/db";
import { endpoints, ImportReport, parseInput } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { countTestRows, openTestOperator, refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { openFile } from "../files/files.ts";
import { importSkills } from "./import-skills.ts";

const folder = (name: string, attachments: Record<string, string | Uint8Array> = {}) => {
  const document = `---\nname: ${name}\ndescription: About ${name}\n---\n# Do ${name}\n`;
  return Object.entries({ "SKILL.md": document, ...attachments }).map(([path, content]) => ({
    path: `${name}/${path}`,
    bytes: Buffer.from(content),
  }));
};

describe("importSkills", () => {
  const test = coreTest();
  let context: CoreContext;
  beforeEach(async () => {
    const workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace, "builder");
  });

  const run = (uploaded: Parameters<typeof importSkills>[2], fields: object = {}) => {
    const raw = { wId: context.caller.workspace.sid, ...fields };
    return importSkills(context, parseInput(endpoints["skills.import"], raw), uploaded);
  };
  const read = async (name: string) => {
    const { id } = context.caller.workspace;
    const { db } = test.core.database;
    const rows = await db.select().from(skills).where(eq(skills.workspaceId, id));
    return rows.find((row) => row.name === name)!;
  };
  const attachmentsOf = async (skillId: number) =>
    test.core.database.db
      .select()
      .from(skillAttachments)
      .where(eq(skillAttachments.skillId, skillId))
      .orderBy(asc(skillAttachments.position));

  it("writes each folder as a suggested, unpublished skill with its files", async () => {
    const large = new Uint8Array(600_000).fill(7);
    const report = await run([
      ...folder("pdf", { "b/data.bin": large, "a.md": "# A", empty: "" }),
      ...folder("doc"),
    ]);
    expect(ImportReport.strict().parse(report)).toEqual(report);
    expect(report).toMatchObject({
      imported: [
        { name: "pdf", filePath: "pdf/SKILL.md" },
        { name: "doc", filePath: "doc/SKILL.md" },
      ],
      updated: [],
      skipped: [],
    });
    const pdf = await read("pdf");
    expect(pdf).toMatchObject({
      sid: report.imported[0]!.sId,
      status: "suggested",
      availability: "editors",
      agentFacingDescription: "About pdf",
      userFacingDescription: "About pdf",
      instructions: "# Do pdf",
      instructionsHtml: "<h1>Do pdf</h1>\n",
      source: "api",
      sourceMetadata: null,
      editedBy: context.caller.user.id,
    });
    const attached = await attachmentsOf(pdf.id);
    expect(attached.map(({ fileName }) => fileName)).toEqual(["a.md", "b/data.bin", "empty"]);
    const [text, binary, empty] = await Promise.all(
      attached.map(({ fileId }) => openFile(context, { fileId })),
    );
    expect(text).toMatchObject({ contentType: "text/markdown", sizeBytes: 3 });
    expect(binary).toMatchObject({ contentType: "text/plain", sizeBytes: large.length });
    expect(Buffer.concat(await Array.fromAsync(binary!.read(0, large.length)))).toEqual(
      Buffer.from(large),
    );
    expect(empty?.sizeBytes).toBe(0);
  });

  it.for<[fields: object, source: string, metadata: object | null]>([
    [{ source: "local_file" }, "local_file", null],
    [{ repoUrl: "https://github.com/a/b", source: "local_file" }, "github", {}],
    [{ repoUrl: "https://github.com.evil.test/a" }, "api", {}],
  ])("tells from %j where skills are from", async ([fields, source, metadata]) => {
    await run(folder("pdf"), { ...fields, status: "active", availability: "workspace_users" });
    const { repoUrl } = fields as { repoUrl?: string };
    expect(await read("pdf")).toMatchObject({
      source,
      sourceMetadata: metadata && { repoUrl, filePath: "pdf/SKILL.md" },
      status: "active",
      availability: "workspace_users",
    });
  });

  it("replaces the skill that it names, in the version that it names, whatever its name", async () => {
    const { imported } = await run(folder("pdf", { old: "old" }), { status: "active" });
    const skillId = imported[0]?.sId ?? "";
    const { id } = await read("pdf");
    const { db } = test.core.database;
    await db.update(skills).set({ name: "Files: PDF" }).where(eq(skills.id, id));
    const by = (fields: object, uploaded = folder("files-pdf", { new: "new" })) =>
      run(uploaded, { skillId, version: 0, ...fields });
    const refusals = [
      by({ version: 7 }),
      by({ version: undefined }),
      by({ skillId: undefined }),
      by({ skillId: "skl_none" }),
      by({}, [...folder("one"), ...folder("two")]),
    ].map(refusalOf);
    expect(await Promise.all(refusals)).toEqual([
      "409 version_conflict",
      "400 invalid_request_error",
      "400 invalid_request_error",
      "404 skill_not_found",
      "400 invalid_request_error",
    ]);
    expect(await by({})).toMatchObject({
      imported: [],
      updated: [{ sId: skillId, name: "Files: PDF" }],
    });
    const replaced = await read("Files: PDF");
    expect(replaced).toMatchObject({ id, version: 1, status: "active" });
    expect(replaced.instructions).toBe("# Do files-pdf");
    expect((await attachmentsOf(id)).map(({ fileName }) => fileName)).toEqual(["new"]);
    expect(await refusalOf(by({}))).toBe("409 version_conflict");
  });

  it("refuses, skips or replaces skills whose names are taken", async () => {
    await run(folder("pdf", { old: "old" }), { status: "active" });
    const before = await read("pdf");
    const [oldFile] = await attachmentsOf(before.id);
    const both = [...folder("doc"), ...folder("pdf", { new: "new" })];
    const rows = await countTestRows(test.core);
    await expect(run(both)).rejects.toMatchObject({
      type: "skill_already_exists",
      status: 409,
      issues: [{ path: "pdf/SKILL.md", message: expect.stringContaining("onConflict") }],
    });
    expect(await countTestRows(test.core)).toEqual(rows);

    const skipped = await run(both, { onConflict: "skip" });
    expect(skipped).toMatchObject({
      imported: [{ name: "doc" }],
      skipped: [{ name: "pdf", sId: before.sid }],
    });
    expect(await read("pdf")).toEqual(before);

    test.clock.now += 1000;
    const replaced = await run(folder("pdf", { new: "new" }), { onConflict: "override" });
    expect(replaced).toMatchObject({ imported: [], updated: [{ name: "pdf", sId: before.sid }] });
    const after = await read("pdf");
    expect(after).toEqual({ ...before, updatedAt: test.clock.now, version: before.version + 1 });
    expect(await attachmentsOf(after.id)).toMatchObject([{ fileName: "new" }]);
    const old = openFile(context, { fileId: oldFile!.fileId });
    expect(await refusalOf(old)).toBe("404 file_not_found");
  });

  it.for<[from: string, fields: object]>([
    ["suggested", { status: "active", availability: "workspace_users" }],
    ["suggested", { status: "archived" }],
    ["archived", { status: "active" }],
    ["archived", { status: "archived", availability: "editors" }],
  ])("moves a skill that is %s by %j, as a new version of the caller", async (given) => {
    const [status, fields] = given;
    await run(folder("pdf"), { status });
    const before = await read("pdf");
    context = await openTestContext(test.core, context.caller.workspace, "builder");
    await run(folder("pdf"), { onConflict: "override", ...fields });
    const after = { version: before.version + 1, editedBy: context.caller.user.id };
    expect(await read("pdf")).toMatchObject({ ...fields, ...after });
    expect(before.editedBy).not.toBe(after.editedBy);
  });

  it.for<[from: string, fields: object, reason: string]>([
    ["active", { status: "suggested" }, "is active, which cannot become suggested"],
    ["archived", { status: "suggested" }, "is archived, which cannot become suggested"],
    ["suggested", { availability: "workspace_users" }, "and only an active skill can be available"],
    ["active", { status: "archived", availability: "workspace_users" }, "only an active skill"],
  ])("refuses to move a skill that is %s by %j", async ([status, fields, reason]) => {
    await run(folder("pdf"), { status });
    const before = await read("pdf");
    const replaced = run(folder("pdf"), { onConflict: "override", ...fields });
    await expect(replaced).rejects.toMatchObject({
      type: "skill_already_exists",
      issues: [{ path: "pdf/SKILL.md", message: expect.stringContaining(reason) }],
    });
    expect(await read("pdf")).toEqual(before);
  });

  it("neither replaces nor tells of a skill of the same name that the key does not reach", async () => {
    const [free] = (await run(folder("doc"))).imported;
    await run(folder("pdf"));
    const operator = openTestOperator(test.core);
    const { sid: workspaceId, id } = context.caller.workspace;
    const secret = { wId: workspaceId, name: "Secret", isRestricted: true, keyIds: [] };
    const { space } = await operator.createSpace(secret);
    const { db } = test.core.database;
    const requested = { requestedSpaceIds: [space.sId] };
    await db
      .update(skills)
      .set(requested)
      .where(and(eq(skills.workspaceId, id), eq(skills.name, "pdf")));
    const before = await read("pdf");
    for (const onConflict of ["error", "skip", "override"]) {
      const report = await run(folder("pdf"), { onConflict });
      const sId = report.imported[0]?.sId;
      const twin = { ...free, sId, name: "pdf", filePath: "pdf/SKILL.md" };
      expect(report).toEqual({ imported: [twin], updated: [], skipped: [] });
      await db.delete(skills).where(eq(skills.sid, sId ?? ""));
    }
    expect(await read("pdf")).toEqual(before);
  });

  it("does not replace what its caller may not change, or it cannot tell apart", async () => {
    await run(folder("pdf"));
    const override = { onConflict: "override" };
    const { db } = test.core.database;
    const { id: _own, ...own } = context.caller.user;
    const [stranger] = await db
      .insert(users)
      .values({ ...own, sid: test.core.newId() })
      .returning();
    const pdf = await read("pdf");
    await db.insert(skillEditors).values({ skillId: pdf.id, userId: stranger!.id });
    await expect(run(folder("pdf"), override)).rejects.toThrow("only admins and the editors");
    const { id: _, ...twin } = await read("pdf");
    await db.insert(skills).values({ ...twin, sid: test.core.newId("skl") });
    await expect(run(folder("pdf"), override)).rejects.toThrow("several skills named pdf");
  });

  it("leaves nothing of an upload with one bad file, or beyond the quota", async () => {
    const rows = await countTestRows(test.core);
    const bad = [...folder("pdf", { x: "x" }), ...folder("Doc")];
    await expect(run(bad)).rejects.toMatchObject({
      type: "invalid_request_error",
      message: expect.stringMatching(/^Invalid request body: Doc\/SKILL\.md: front matter: name/),
    });
    const { id } = context.caller.workspace;
    const { limitBytes } = test.core.storage;
    test.core.storage.add(id, limitBytes);
    await expect(run(folder("pdf", { x: "xyz" }))).rejects.toMatchObject({
      type: "budget_exceeded",
    });
    test.core.storage.add(id, -limitBytes);
    expect(await countTestRows(test.core)).toEqual(rows);
    expect(await test.core.database.db.$count(files)).toBe(rows.files);
  });

  it("writes a name once when it is imported twice at once", async () => {
    const outcomes = await Promise.all([1, 2, 3].map(() => refusalOf(run(folder("pdf")))));
    expect(outcomes.toSorted()).toEqual([
      "409 skill_already_exists",
      "409 skill_already_exists",
      "accepted",
    ]);
  });
});
