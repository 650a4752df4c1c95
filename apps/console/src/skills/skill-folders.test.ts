import { expect, test } from "vitest";
import { skillFiles } from "./skill-folders.ts";

const files = (...paths: string[]) => paths.map((path) => ({ path, content: new Blob(["a"]) }));
const pathsOf = (...paths: string[]) => skillFiles(files(...paths), "zip").map(({ path }) => path);

test("sends the folders of skills, without hidden files and those outside", () => {
  expect(
    pathsOf("set/a/SKILL.md", "set/a/x/y.txt", "set/a/.git/config", "set/README.md", "__MACOSX/a"),
  ).toEqual(["set/a/SKILL.md", "set/a/x/y.txt"]);
});

test("puts a SKILL.md without a folder into one", () => {
  expect(pathsOf("SKILL.md", "x.txt")).toEqual(["zip/SKILL.md", "zip/x.txt"]);
});

test("refuses files without a skill, and too many or too large ones", () => {
  expect(() => pathsOf("README.md")).toThrow("No SKILL.md found");
  const many = Array.from({ length: 201 }, (_, index) => `a/${index}.txt`);
  expect(() => pathsOf("a/SKILL.md", ...many)).toThrow("at most 200 files");
  const large = { path: "a/b", content: new Blob([new Uint8Array(21 * 1024 * 1024)]) };
  expect(() => skillFiles([...files("a/SKILL.md"), large], "a")).toThrow("at most 20 MiB");
});
