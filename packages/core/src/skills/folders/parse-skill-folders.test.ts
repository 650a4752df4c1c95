import { describe, expect, it } from "vitest";
import type { FolderFile } from "./check-files.ts";
import { parseSkillFolders } from "./parse-skill-folders.ts";
import { readYaml } from "./yaml-thread.ts";

const encoder = new TextEncoder();
const file = (path: string, content: string | Uint8Array = ""): FolderFile => ({
  path,
  bytes: typeof content === "string" ? encoder.encode(content) : content,
});
const skill = (frontMatter: string, body = "# Do it") => `---\n${frontMatter}\n---\n${body}`;
const valid = skill("name: pdf\ndescription: Reads PDF files.");
const parse = (files: readonly FolderFile[]) =>
  parseSkillFolders(files, async (source) => readYaml(source));
/** The issues of a folder `pdf` whose SKILL.md is this. */
const issuesOf = (content: string | Uint8Array) =>
  parse([file("pdf/SKILL.md", content)]).then(({ issues }) => issues);

describe("parseSkillFolders", () => {
  it("takes every folder with a SKILL.md for a skill, and its other files for attachments", async () => {
    const files = [
      file("skills/pdf/scripts/read.py", "print()"),
      file("skills/pdf/SKILL.md", valid),
      file("skills/pdf/LICENSE.txt"),
      file("skills/pdf-forms/SKILL.md", skill("name: pdf-forms\ndescription: Fills forms.", "")),
    ];
    expect(await parse(files)).toEqual({
      skills: [
        {
          name: "pdf",
          description: "Reads PDF files.",
          filePath: "skills/pdf/SKILL.md",
          skillFile: valid,
          instructions: "# Do it",
          attachments: [
            { path: "LICENSE.txt", bytes: new Uint8Array() },
            { path: "scripts/read.py", bytes: encoder.encode("print()") },
          ],
        },
        {
          name: "pdf-forms",
          description: "Fills forms.",
          filePath: "skills/pdf-forms/SKILL.md",
          skillFile: skill("name: pdf-forms\ndescription: Fills forms.", ""),
          instructions: "",
          attachments: [],
        },
      ],
      issues: [],
    });
  });

  const metadata = 'metadata:\n  author: me\n  version: "1.0"';
  it.for<[what: string, content: string]>([
    ["a byte order mark", `\uFEFF${valid}`],
    ["lines that end in CRLF", valid.replaceAll("\n", "\r\n")],
    ["white space behind the dashes", valid.replaceAll("---", "--- \t")],
    ["a line of dashes in the body", `${valid}\n---\nmore`],
    ["no body", "---\nname: pdf\ndescription: d\n---"],
    ["all optional members", skill(`name: pdf\ndescription: d\nlicense: MIT\n${metadata}`)],
    ["tools as a list", skill("name: pdf\ndescription: d\nallowed-tools: [Read, Bash]")],
    ["members that are not known", skill("name: pdf\ndescription: d\nmodel: {a: [1]}")],
    ["a description over lines", skill("name: pdf\ndescription: >\n  a\n  b")],
    ["the longest description", skill(`name: pdf\ndescription: ${"d".repeat(1024)}`)],
    ["a member named __proto__", skill("name: pdf\ndescription: d\n__proto__: {name: x}")],
  ])("takes %s", async ([, content]) => {
    expect(await issuesOf(content)).toEqual([]);
  });

  const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`.slice(0, 30_000);
  const long = "n".repeat(65);
  it.for<[what: string, content: string | Uint8Array, reason: string]>([
    ["no front matter", "# Do it", "must begin with front matter"],
    ["front matter that does not end", "---\nname: pdf\n", "must end its front matter"],
    ["front matter that is too long", skill(`a: ${"b".repeat(40_000)}`), "32768 characters"],
    ["bytes that are not UTF-8", new Uint8Array([0x2d, 0xff]), "must be UTF-8"],
    ["too many keys", skill("a:\n".repeat(5000)), "has too many parts"],
    ["too many items", skill(`a: [${"a,".repeat(5000)}]`), "has too many parts"],
    ["NUL", `${valid}\u0000`, "must not contain NUL"],
    [
      "NUL in an escape",
      skill('name: pdf\ndescription: "a\\0"'),
      "description: must not contain NUL",
    ],
    [
      "a lone surrogate",
      skill('name: pdf\ndescription: "\\uD800"'),
      "description: must not contain",
    ],
    ["too many bytes", `${valid}${"x".repeat(1024 * 1024)}`, "must be at most 1048576 bytes"],
    ["an anchor", skill("name: &a pdf\ndescription: d"), "anchors are not allowed"],
    ["an alias", skill("name: pdf\ndescription: *a"), "aliases are not allowed"],
    ["a tag", skill("name: !!str pdf\ndescription: d"), "tags are not allowed"],
    ["a tag of its own", skill("name: pdf\ndescription: !run d"), "tags are not allowed"],
    ["a directive", "---\n%YAML 1.1\n---\nname: pdf\n", "directives are not allowed"],
    ["a key twice", skill("name: pdf\nname: pdf\ndescription: d"), "keys must be unique"],
    ["two documents", skill("name: pdf\n...\ndescription: d"), "must be one document"],
    ["depth in brackets", skill(`name: pdf\ndescription: ${nested}`), "is nested too deep"],
    ["depth in lists", skill(`name:\n  ${"- ".repeat(10_000)}`), "is nested too deep"],
    ["what is no YAML", skill("name: [pdf\ndescription: d"), "front matter: "],
    ["a list", skill("- pdf"), "must be a mapping"],
    ["nothing", skill(""), "is empty"],
    ["no description", skill("name: pdf"), "description: "],
    ["a blank description", skill("name: pdf\ndescription: ' '"), "description: must not be blank"],
    ["a long description", skill(`name: pdf\ndescription: ${"d".repeat(1025)}`), "description: "],
    ["a number for a name", skill("name: 7\ndescription: d"), "name: "],
    ["another name", skill("name: doc\ndescription: d"), "must be its folder's name, pdf, not doc"],
    ["capitals", skill("name: Pdf\ndescription: d"), "name: must be lowercase letters"],
    ["two hyphens", skill("name: p--df\ndescription: d"), "name: must be lowercase letters"],
    ["a hyphen at the end", skill("name: pdf-\ndescription: d"), "name: must be lowercase"],
    ["a long name", skill(`name: ${long}\ndescription: d`), "name: "],
    [
      "metadata that is no text",
      skill("name: pdf\ndescription: d\nmetadata: {v: 1}"),
      "metadata.v: ",
    ],
    ["metadata that is a list", skill("name: pdf\ndescription: d\nmetadata: [a]"), "metadata: "],
    ["no compatibility", skill("name: pdf\ndescription: d\ncompatibility: ''"), "compatibility: "],
  ])("refuses a SKILL.md with %s", async ([, content, reason]) => {
    const issues = await issuesOf(content);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.path).toBe("pdf/SKILL.md");
    expect(issues[0]?.message).toContain(reason);
  });

  it.for<[path: string, reason: string]>([
    ["../pdf/x", "must not have . or .."],
    ["pdf/../x", "must not have . or .."],
    ["pdf/./x", "must not have . or .."],
    ["/pdf/x", "must not be absolute"],
    ["c:/pdf/x", "must not be absolute"],
    ["pdf\\x", "must not have a backslash"],
    ["pdf//x", "must not be empty"],
    ["pdf/", "must not be empty"],
    ["", "must not be empty"],
    ["pdf/a\nb", "must not have control characters"],
    ["pdf/a\u0000", "must not have control characters"],
    ["pdf/a\u202etxt.exe", "must not have control characters"],
    ["pdf/\uD800", "must not have control characters"],
    [`pdf/${"n".repeat(256)}`, "at most 255 characters"],
    [`pdf/${"n/".repeat(600)}x`, "at most 1024 characters"],
    ["pdf/skill.MD", "another file has this name, or a similar one"],
    ["pdf/skill.md/x", "a folder also has this name"],
    ["README.md", "does not belong to a skill"],
    ["pdfs/x", "does not belong to a skill"],
    ["pdf/more/SKILL.md", "must be its folder's name"],
  ])("refuses a file that is named %j", async ([path, reason]) => {
    const parsed = await parse([file("pdf/SKILL.md", valid), file(path, valid)]);
    expect(parsed.skills).toEqual([]);
    expect(parsed.issues.map((issue) => issue.message).join("\n")).toContain(reason);
    for (const issue of parsed.issues) expect(issue.path).not.toMatch(/\p{Cc}|\u202e/u);
  });

  it("refuses skills within skills, skills of one name, and uploads without a skill", async () => {
    const named = (name: string) => skill(`name: ${name}\ndescription: d`);
    const within = [file("a/SKILL.md", named("a")), file("a/b/SKILL.md", named("b"))];
    expect((await parse(within)).issues).toEqual([
      { path: "a/b/SKILL.md", message: "is in a skill within a skill: a/, a/b/" },
    ]);
    const namesakes = [file("x/a/SKILL.md", named("a")), file("y/a/SKILL.md", named("a"))];
    expect((await parse(namesakes)).issues).toEqual([
      { path: "y/a/SKILL.md", message: "the skill of x/a/SKILL.md also has this name" },
    ]);
    const none = [{ path: "files", message: "there is no SKILL.md" }];
    expect((await parse([])).issues).toEqual(none);
    expect((await parse([file("a/skill.md", named("a"))])).issues).toEqual(none);
    expect((await parse([file("SKILL.md", named("a"))])).issues).toEqual([
      { path: "SKILL.md", message: "must be in a folder named a" },
    ]);
  });

  it("refuses too many files and too many bytes", async () => {
    const many = Array.from({ length: 200 }, (_, index) => file(`pdf/${index}`));
    expect((await parse([...many.slice(1), file("pdf/SKILL.md", valid)])).issues).toEqual([]);
    expect((await parse([...many, file("pdf/SKILL.md", valid)])).issues).toEqual([
      { path: "files", message: "must be at most 200 files" },
    ]);
    const large = file("pdf/large", new Uint8Array(20 * 1024 * 1024));
    expect((await parse([file("pdf/SKILL.md", valid), large])).issues).toEqual([
      { path: "files", message: "must be at most 20971520 bytes in all" },
    ]);
  });
});
