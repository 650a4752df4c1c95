import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readDocument } from "./read-documents.ts";

test("a path may have as many characters as the id of a document", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-documents-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const within = "x".repeat(200);
  await mkdir(path.join(folder, within));
  const longest = `${within}/${"y".repeat(51)}.md`;
  const longer = `${within}/${"y".repeat(52)}.md`;
  for (const id of [longest, longer]) await writeFile(path.join(folder, id), "Hello");
  expect(await readDocument(folder, longest)).toMatchObject({ id: longest, text: "Hello" });
  const fault = "the path is longer than 255 characters";
  expect(await readDocument(folder, longer)).toEqual({ id: longer, fault });
});
