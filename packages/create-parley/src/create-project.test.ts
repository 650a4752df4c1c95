import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createProject } from "./create-project.ts";

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-create-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  return folder;
}

it("makes a project that is named as its folder, with this package's version of Parley", async () => {
  const folder = path.join(await openFolder(), "My Shop!");
  await createProject(folder);
  const { version } = JSON.parse(
    await readFile(path.join(import.meta.dirname, "../package.json"), "utf8"),
  ) as { version: string };
  const made = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as object;
  expect(made).toMatchObject({
    name: "my-shop",
    dependencies: { "parley-client": version, "parley-server": version },
  });
  expect(await readFile(path.join(folder, ".gitignore"), "utf8")).toContain("node_modules/");
});

it("refuses a folder that has files, and one without a name, and leaves them as they are", async () => {
  const folder = await openFolder();
  await writeFile(path.join(folder, "mine.txt"), "mine");
  await expect(createProject(folder)).rejects.toThrow(
    "already has mine.txt: choose a new or empty",
  );
  await expect(createProject(path.join(folder, "…"))).rejects.toThrow("no letters or digits");
  expect(await readFile(path.join(folder, "mine.txt"), "utf8")).toBe("mine");
});
