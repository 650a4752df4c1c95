import { describe, expect, it } from "vitest";
import { checkFiles } from "./check-files.ts";
import { filePathsOf, folderNameOf } from "./folder-paths.ts";

describe("folderNameOf", () => {
  it.each([
    ["refunds", "refunds"],
    ["a-2", "a-2"],
    ["Refund an Order!", "refund-an-order"],
    ["Größe — Übersicht", "gro-e-ubersicht"],
    ["-a--b-", "a-b"],
    ["请求", "skill"],
    ["", "skill"],
    [`${"x".repeat(63)} y`, "x".repeat(63)],
  ])("makes of %j %s", (name, expected) => {
    expect(folderNameOf(name)).toBe(expected);
  });
});

describe("filePathsOf", () => {
  it.each([
    { names: ["a.md", "more/b.md", "ö.txt"], paths: ["a.md", "more/b.md", "ö.txt"] },
    { names: ["a.md", "A.md", "a.md"], paths: ["a.md", "1-A.md", "2-a.md"] },
    { names: ["SKILL.md", "skill.md"], paths: ["1-SKILL.md", "2-skill.md"] },
    { names: ["more/SKILL.md"], paths: ["1-more_SKILL.md"] },
    { names: ["more", "more/a.md"], paths: ["more", "1-more_a.md"] },
    { names: ["more/a.md", "more"], paths: ["more/a.md", "1-more"] },
    { names: ["../../x", "/etc/y", "C:\\z"], paths: ["1-x", "1-etc_y", "1-C_z"] },
    { names: ["", ".", "a\u0007\u202eb"], paths: ["1-", "2-", "1-a_b"] },
    { names: ["x".repeat(300)], paths: [`1-${"x".repeat(100)}`] },
  ])("gives $names paths that an import takes", ({ names, paths }) => {
    expect(filePathsOf(names)).toEqual(paths);
    const bytes = new Uint8Array();
    const files = ["SKILL.md", ...paths].map((path) => ({ path: `x/${path}`, bytes }));
    expect(checkFiles(files)).toEqual([]);
  });
});
