import { execFileSync } from "node:child_process";
import { chmod, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { unzipSync, zipSync, type Zippable } from "fflate";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openUser } from "./user.ts";
import { openFolder, openWorkspace, readFiles, writeFiles } from "./workspace-folder.ts";

const skill = (name: string, body = "Do it.") =>
  `---\nname: ${name}\ndescription: About ${name}\n---\n\n${body}\n`;
const bytes = (text: string) => new TextEncoder().encode(text);

async function writeZip(entries: Zippable, change?: (zip: Uint8Array) => void): Promise<string> {
  const file = path.join(await openFolder(), "skills.zip");
  const zip = zipSync(entries);
  change?.(zip);
  await writeFile(file, zip);
  return file;
}

/** A repository with one commit of these files, on `main` and as the tag `v1`. */
async function createRepository(files: Record<string, string>, link?: string): Promise<string> {
  const folder = path.join(await openFolder(), "skills.git");
  await writeFiles(folder, files);
  if (link !== undefined) await symlink("/etc/hostname", path.join(folder, link));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=T", "-c", "user.email=t@t.test", ...args]);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=one");
  git("tag", "v1");
  await writeFiles(folder, { "later/SKILL.md": skill("later") });
  git("checkout", "--quiet", "-b", "next");
  git("add", "--all");
  git("commit", "--quiet", "--message=two");
  git("checkout", "--quiet", "main");
  return folder;
}

const leftovers = async () =>
  (await readdir(os.tmpdir())).filter((name) => /^parley-skills-\w{6}$/.test(name));

describe("skills come from folders, archives and repositories", () => {
  const server = shareServer();

  it("gives back a folder byte for byte, with modes, and edits only what was edited", async () => {
    const { wId, rpc, succeed } = await openWorkspace(server(), "Bytes");
    const text = [
      "\uFEFF---",
      "license:   'MIT'  # kept",
      "name: odd",
      "description: >-",
      "  Folded",
      "  over.",
      'metadata: {a: "1"}',
      "allowed-tools: Bash(git:*)",
      "---",
      "",
      "",
      "# Odd  ",
      "\tTab",
      "",
      "",
    ].join("\r\n");
    const folder = await openFolder({
      "odd/SKILL.md": text,
      "odd/scripts/run.sh": "#!/bin/sh\r\n",
      "odd/data.txt": "x",
    });
    await chmod(path.join(folder, "odd/scripts/run.sh"), 0o755);
    const report = JSON.parse(await succeed(["skills", "import", folder, "--json"]));
    const skillId: string = report.imported[0].sId;
    const expectFolder = async (place: string, skillFile: string) => {
      expect(await readFile(path.join(place, "SKILL.md"), "utf8")).toBe(skillFile);
      expect(await readFile(path.join(place, "scripts/run.sh"), "utf8")).toBe("#!/bin/sh\r\n");
      const modes = ["SKILL.md", "scripts/run.sh", "data.txt"].map(async (file) =>
        ((await stat(path.join(place, file))).mode & 0o100).toString(8),
      );
      expect(await Promise.all(modes)).toEqual(["0", "100", "0"]);
    };
    const first = await openFolder();
    await succeed(["skills", "export", "odd", first]);
    await expectFolder(path.join(first, "odd"), text);
    const change = { wId, skillId, version: 0, agentFacingDescription: "Flat" };
    await rpc.skills.update.mutate(change);
    const described = text.replace(">-\r\n  Folded\r\n  over.", "Flat");
    const pulled = await openFolder();
    await succeed(["pull", pulled, "--force"]);
    await expectFolder(path.join(pulled, "skills/odd"), described);
    expect(await succeed(["apply", pulled])).toMatch(/Nothing to change\n$/);
    const licensed = described.replace("'MIT'", "Apache-2.0").replace("\tTab", "\tTabs");
    await writeFile(path.join(pulled, "skills/odd/SKILL.md"), licensed);
    expect(await succeed(["apply", pulled, "--yes"])).toContain("odd");
    expect(await succeed(["apply", pulled])).toMatch(/Nothing to change\n$/);
    const again = await openFolder();
    await succeed(["pull", again, "--force"]);
    await expectFolder(path.join(again, "skills/odd"), licensed);
    await chmod(path.join(again, "skills/odd/scripts/run.sh"), 0o644);
    await succeed(["apply", again, "--yes"]);
    expect(await succeed(["pull", pulled, "--yes"])).toContain("~ skills/odd/scripts/run.sh");
    const { mode } = await stat(path.join(pulled, "skills/odd/scripts/run.sh"));
    expect(mode & 0o111).toBe(0);
  });

  it("imports an archive, of one skill or of several, and says what it left out", async () => {
    const { run } = await openWorkspace(server(), "Archives");
    const several = await writeZip({
      "skills-main/README.md": bytes("read me"),
      "skills-main/.github/x.yaml": bytes("x"),
      "skills-main/one/SKILL.md": bytes(skill("one")),
      "skills-main/one/a/b.txt": bytes("b"),
      "skills-main/two/SKILL.md": bytes(skill("two")),
    });
    const imported = await run(["skills", "import", several]);
    expect(imported.stderr.replaceAll(/skl_\w+/g, "ID")).toBe(
      "left out: skills-main/.github/x.yaml\nleft out: skills-main/README.md\n" +
        "Nobody can use them yet: parley skills approve ID, then parley skills publish " +
        "--availability workspace_users ID, and the same for the others\n",
    );
    expect(imported.stdout.match(/^imported: \w+/gm)).toEqual(["imported: one", "imported: two"]);
    const single = await writeZip({ "SKILL.md": bytes(skill("skills")) });
    expect((await run(["skills", "import", single])).stdout).toMatch(/^imported: skills /);
  });

  it.for<[what: string, make: () => Promise<string>, says: string]>([
    ["a way out", () => writeZip({ "../x/SKILL.md": bytes(skill("x")) }), "invalid relative path"],
    ["an absolute path", () => writeZip({ "/x/SKILL.md": bytes(skill("x")) }), "absolute path"],
    ["a backslash", () => writeZip({ "x\\SKILL.md": bytes(skill("x")) }), "invalid characters"],
    [
      "a symbolic link",
      () =>
        writeZip({
          "x/SKILL.md": bytes(skill("x")),
          "x/link": [bytes("/etc/passwd"), { os: 3, attrs: (0o120777 << 16) >>> 0 }],
        }),
      "x/link: symbolic links are not imported",
    ],
    [
      "too many bytes",
      () => writeZip({ "x/SKILL.md": bytes(skill("x")), "x/zeros": new Uint8Array(21 << 20) }),
      "exceed 20971520 bytes",
    ],
    [
      "more bytes than it says",
      () =>
        writeZip({ "x/SKILL.md": bytes(skill("x")), "x/zeros": new Uint8Array(1 << 20) }, (zip) => {
          // The second entry of the central directory, where sizes are after 24 bytes.
          const text = Buffer.from(zip.buffer, zip.byteOffset, zip.length);
          const entry = text.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
          text.writeUInt32LE(7, entry + 24);
        }),
      "The archive cannot be read",
    ],
    [
      "no archive",
      async () => path.join(await openFolder({ "a.zip": "text" }), "a.zip"),
      "The archive cannot be read",
    ],
    ["no skill", () => writeZip({ "x.txt": bytes("x") }), "has no SKILL.md"],
    ["nothing", async () => "nowhere.zip", "no such folder or archive"],
  ])("refuses an archive with %s", async ([, make, says]) => {
    const { run } = await openUser();
    const { code, stdout, stderr } = await run(["skills", "validate", await make()]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^parley: [^\n]+\n$/);
    expect(stderr).toContain(says);
  });

  it("fetches a branch, a tag or a commit of a repository, and leaves nothing behind", async () => {
    const repository = await createRepository(
      {
        "skills/one/SKILL.md": skill("one"),
        "skills/two/SKILL.md": skill("two"),
        "README.md": "x",
      },
      "skills/elsewhere",
    );
    const url = `file://${repository}`;
    const { run } = await openUser();
    const validate = async (source: string) => run(["skills", "validate", source]);
    const head = execFileSync("git", ["-C", repository, "rev-parse", "main"]).toString().trim();
    const before = await leftovers();
    for (const ref of ["", "main", "v1", head]) {
      const { code, stdout, stderr } = await validate(`${url}#${ref}:skills`);
      expect([code, stdout], stderr).toEqual([0, "valid: one\nvalid: two\n"]);
      expect(stderr).toBe(`Fetching ${url}\nleft out: elsewhere\n`);
    }
    expect((await validate(`${url}#next`)).stdout).toBe("valid: later\n");
    const { stderr } = await validate(url);
    expect(stderr).toContain(
      `${url}: has no SKILL.md, and neither do its folders; name the folder`,
    );
    const workspace = await openWorkspace(server(), "Repositories");
    expect(await workspace.succeed(["skills", "import", `${url}#v1:skills/one`])).toMatch(
      /^imported: one /,
    );
    expect(await leftovers()).toEqual(before);
  });

  it.for<[source: string, says: string]>([
    ["http://127.0.0.1:1/skills.git", "not over http"],
    ["ext::sh -c touch% /tmp/parley-was-here", "no such folder"],
    ["git://127.0.0.1/x.git", "not over git"],
    ["https://user:secret@127.0.0.1:1/x.git", "must not contain a user or a password"],
    ["https://127.0.0.1:1/x.git", "could not be fetched: "],
    ["file:///nowhere.git", "could not be fetched: "],
    ["file:///x.git#--upload-pack=x", "is not a branch, tag or commit"],
    ["file:///x.git#a..b", "is not a branch, tag or commit"],
    ["file:///x.git#main:../..", "is not a folder in a repository"],
    ["file:///x.git#main:.git/hooks", "is not a folder in a repository"],
    ["-oProxyCommand=x@host:path", "unknown option"],
  ])("does not fetch %s", async ([source, says]) => {
    const { run } = await openUser();
    const { code, stdout, stderr } = await run(["skills", "validate", source]);
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain("secret@");
  });

  it("says that git is missing", async () => {
    const { run } = await openUser();
    const args = ["skills", "validate", "file:///x.git"];
    const { stderr } = await run(args, "", { PATH: "/nowhere" } as never);
    expect(stderr).toContain("git is not installed: install it");
  });

  it("validates without a server: each fault with its file and its place", async () => {
    const { run } = await openUser();
    const folder = await openFolder({
      "one/SKILL.md": "---\nname: other\ndescription: x\n---\n",
      "two/SKILL.md": "---\nname: two\nlicense: 7\n---\n",
      "three/SKILL.md": "---\nname: three\ndescription: a\n  b: [c\n---\n",
      "four/SKILL.md": "no front matter\n",
    });
    const { code, stdout, stderr } = await run(["skills", "validate", folder]);
    expect(code).toBe(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.toSorted()).toEqual([
      expect.stringContaining("four/SKILL.md:1:1: must begin with front matter"),
      expect.stringContaining(
        "one/SKILL.md:2:1: front matter: name: must be its folder's name, one",
      ),
      expect.stringMatching(/^three\/SKILL\.md:3:14: front matter: /),
      expect.stringContaining("two/SKILL.md:1:1: front matter: description: "),
      expect.stringContaining("two/SKILL.md:3:1: front matter: license: "),
    ]);
    expect(stderr).toBe("parley: The skills have 5 errors; none of them would be imported\n");
    const { stdout: json } = await run(["skills", "validate", folder, "--json"]);
    expect(JSON.parse(json)).toMatchObject({ skills: [], faults: expect.any(Array) });
  });

  it("exports a skill as a folder or an archive, over nothing", async () => {
    const workspace = await openWorkspace(server(), "Exports");
    const files = { "greeting/SKILL.md": skill("greeting"), "greeting/a/b.txt": "b\n" };
    await workspace.succeed(["skills", "import", await openFolder(files)]);
    const into = await openFolder();
    const target = path.join(into, "greeting");
    const exported = await workspace.succeed(["skills", "export", "greeting", into]);
    expect(exported).toBe(`exported: ${target}, 2 files\n`);
    const written = await readFiles(into);
    expect(Object.keys(written)).toEqual(["greeting/SKILL.md", "greeting/a/b.txt"]);
    expect(await workspace.succeed(["skills", "validate", into])).toBe("valid: greeting\n");
    expect(await workspace.fail(["skills", "export", "greeting", into])).toContain(
      "already exists",
    );
    await workspace.succeed(["skills", "export", "greeting", into, "--zip"]);
    expect(await workspace.fail(["skills", "export", "greeting", into, "--zip"])).toContain(
      "already exists",
    );
    const zip = (await readFiles(into))["greeting.zip"] ?? "";
    expect(Object.keys(unzipSync(Buffer.from(zip, "hex"))).toSorted()).toEqual(
      Object.keys(written),
    );
    expect(await workspace.fail(["skills", "export", "nothing", into])).toContain(
      'No skill named "nothing"',
    );
  });
});
