import { files, fileTexts, workspaces } from "@parley/db";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { uploadTestFile } from "../../testing/files.ts";
import { insertTestWorkspace } from "../../testing/testing.ts";
import { findStoredFile } from "./file-bytes.ts";
import { createFileTextSweep, findFileText, saveFileText } from "./file-texts.ts";

const DAY_MS = 86_400_000;

describe("texts of files", () => {
  const test = workspaceTest();
  const db = () => test.core.database.db;
  const stored = async (sha256: string) =>
    (await db().$count(fileTexts, eq(fileTexts.sha256, sha256))) > 0;
  const keyOf = (sha256: string, extractor = "pdf-1", workspaceId = test.workspace.id) => ({
    workspaceId,
    sha256,
    extractor,
  });
  const save = (sha256: string, text: string | null = "text", extractor?: string) =>
    saveFileText(test.core, keyOf(sha256, extractor), {
      text,
      failure: text === null ? "no_text" : null,
      pages: text === null ? null : 3,
    });
  const upload = async (content: string) => {
    const contentType = "application/pdf";
    const { sId: fileId } = await uploadTestFile(test.context, `%PDF-${content}`, { contentType });
    const found = await findStoredFile(test.core, { workspaceId: test.workspace.id, fileId });
    return { fileId, sha256: found?.sha256 ?? "" };
  };

  it("are found by workspace, content and extractor, and the first one stays", async () => {
    await save("a");
    await save("a", "another");
    await save("b", null);
    expect(await findFileText(test.core, keyOf("a"))).toEqual({
      text: "text",
      failure: null,
      pages: 3,
    });
    expect(await findFileText(test.core, keyOf("b"))).toEqual({
      text: null,
      failure: "no_text",
      pages: null,
    });
    expect(await findFileText(test.core, keyOf("a", "pdf-2"))).toBeUndefined();
    const other = await insertTestWorkspace(test.core);
    expect(await findFileText(test.core, keyOf("a", "pdf-1", other.id))).toBeUndefined();
  });

  it("are not written into a workspace that is deleted", async () => {
    await db().update(workspaces).set({ deletedAt: 1 }).where(eq(workspaces.id, test.workspace.id));
    await save("gone");
    expect(await stored("gone")).toBe(false);
  });

  it("go a day after the last file of their content, whatever else is swept", async () => {
    const [kept, deleted] = [await upload("kept"), await upload("deleted")];
    for (const { sha256 } of [kept, deleted]) await save(sha256);
    const many = Array.from({ length: 1100 }, (_, index) => `many-${index}`);
    await db()
      .insert(fileTexts)
      .values(many.map((sha256) => ({ ...keyOf(sha256), text: "x", createdAt: test.core.now() })));
    await db().delete(files).where(eq(files.sid, deleted.fileId));
    const sweep = createFileTextSweep(test.core);
    const sweepAll = async () => {
      let swept = 0;
      // A round ends with a page of which nothing goes; a few rounds pass all pages.
      for (let round = 0; round < 8; round++) {
        for (let found = await sweep(); found > 0; found = await sweep()) swept += found;
      }
      return swept;
    };
    expect(await sweepAll()).toBe(0);
    test.clock.now += DAY_MS + 1;
    expect(await sweepAll()).toBeGreaterThan(1100);
    expect([await stored(kept.sha256), await stored(deleted.sha256)]).toEqual([true, false]);
  });

  it("leave with their workspace, in batches", async () => {
    await db()
      .insert(fileTexts)
      .values(
        Array.from({ length: 250 }, (_, index) => {
          return { ...keyOf(`leaving-${index}`), text: "x", createdAt: 1 };
        }),
      );
    await test.operator.deleteWorkspace({ wId: test.workspaceId });
    expect(await db().$count(fileTexts, eq(fileTexts.workspaceId, test.workspace.id))).toBe(0);
  });
});
