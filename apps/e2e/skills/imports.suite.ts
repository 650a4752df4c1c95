import { mkdtemp, rm, symlink, writeFile, mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createParley, ParleyError } from "parley-client";
import { ImportReport, SkillList } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { expectError, jsonOf, pathsOf, send } from "../request.ts";
import { type Server, startProgram } from "../server.ts";

const folders = path.join(import.meta.dirname, "folders");
const names = ["commit-messages", "csv-report", "incident-review"];

/** Skill folders that come over HTTP and from the command line. */
export function importsSuite(server: () => Server): void {
  const post = (form: FormData, key = server().demo.adminKey) => {
    return fetch(server().url + pathsOf(server()).skills, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    }).then(async (answer) => ({
      status: answer.status,
      headers: answer.headers,
      text: await answer.text(),
    }));
  };
  const formOf = (files: Record<string, string>, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const [name, text] of Object.entries(files)) {
      form.append("files", new Blob([text]), name);
    }
    return form;
  };
  const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\nDo it.`;
  const list = async (query: string) => {
    const answer = await send(server(), { path: `${pathsOf(server()).skills}?${query}` });
    return jsonOf(answer, SkillList).parsed.skills;
  };
  const everything = async () =>
    (
      await Promise.all(
        ["active", "suggested", "archived"].map((status) =>
          list(`status=${status}&bypassEditorVisibility=true`),
        ),
      )
    ).flat();

  describe("the command line", () => {
    const run = async (args: readonly string[]) => {
      const program = startProgram(["skills", "import", ...args], {
        PARLEY_URL: server().url,
        PARLEY_WORKSPACE: server().demo.workspaceId,
        PARLEY_API_KEY: server().demo.adminKey,
      });
      return { code: await program.exited, ...program.output };
    };

    it("imports a folder of skill folders, and says what became of each", async () => {
      const repository = ["--repo-url", "https://github.com/example/skills"];
      const first = await run([folders, ...repository]);
      expect(first.stderr).toMatch(/^Nobody can use them yet: [^\n]+ for the others\n$/);
      expect(first.code).toBe(0);
      const lines = first.stdout.trimEnd().split("\n");
      expect(lines.map((line) => line.replace(/skl_\w+/, "skl"))).toEqual(
        names.map((name) => `imported: ${name} (skl): The workspace had no skill of this name`),
      );
      const skills = await list("status=suggested&bypassEditorVisibility=true");
      const imported = skills.filter(({ source }) => source === "github");
      expect(imported.map(({ name }) => name)).toEqual(names);
      expect(imported[1]).toMatchObject({
        availability: "editors",
        agentFacingDescription:
          "Summarises CSV files: columns, gaps, outliers. Use it when a table is attached and " +
          "somebody asks what is in it.",
        sourceMetadata: {
          repoUrl: "https://github.com/example/skills",
          filePath: "csv-report/SKILL.md",
        },
        fileAttachments: [
          { fileName: "references/report.md" },
          { fileName: "scripts/summarise.py" },
        ],
        instructionsHtml: expect.stringContaining("<td>range, median and gaps</td>"),
      });
      const [reference] = imported[1]!.fileAttachments;
      const file = `${pathsOf(server()).workspace}/files/${reference!.fileId}`;
      expect((await send(server(), { path: file })).text).toContain("# The report");

      const again = await run([path.join(folders, "csv-report")]);
      expect(again.code).toBe(1);
      expect(again.stderr).toContain(
        "parley: Nothing was imported. Correct these files and try again\n  csv-report/SKILL.md: the work",
      );
      const [skipped, updated] = [
        await run([path.join(folders, "csv-report"), "--on-conflict", "skip"]),
        await run([folders, "--on-conflict", "override", "--status", "active"]),
      ];
      expect(skipped.stdout).toMatch(/^skipped: csv-report \(skl_/);
      expect(updated.stdout.match(/^updated: /gm)).toHaveLength(3);
      expect(await list("bypassEditorVisibility=true&availability=editors")).toEqual(
        expect.arrayContaining(names.map((name) => expect.objectContaining({ name }))),
      );
    });

    it("refuses links and unknown options before it sends anything", async () => {
      const folder = await mkdtemp(path.join(os.tmpdir(), "parley-skills-"));
      try {
        await mkdir(path.join(folder, "linked"));
        await writeFile(path.join(folder, "linked", "SKILL.md"), skill("linked"));
        await writeFile(path.join(folder, "linked", ".env"), "SECRET=1");
        await symlink("/etc/hostname", path.join(folder, "linked", "host"));
        const linked = await run([folder]);
        expect(linked.code).toBe(1);
        expect(linked.stderr).toContain("linked/host: symbolic links are not imported");
        await rm(path.join(folder, "linked", "host"));
        await writeFile(path.join(folder, "README.md"), "Read me");
        const { stdout, stderr } = await run([folder]);
        expect(stderr).toMatch(/^left out: README.md\nleft out: linked\/.env\nNobody can use/);
        expect(stdout).toMatch(/^imported: linked /);
        const unknown = await run([folder, "--on-conflict", "ask"]);
        expect(unknown.stderr).toMatch(/^parley: onConflict: /);
        expect((await run([])).stderr).toBe(
          "parley: missing required argument 'source'; see parley skills import --help\n",
        );
        expect((await run([folder, "--url", "nowhere"])).stderr).toContain("PARLEY_URL is ");
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });

  describe("a form", () => {
    it("is imported with its fields; files keep their paths", async () => {
      const files = { "from-api/SKILL.md": skill("from-api"), "from-api/a/ü b.txt": "text" };
      const fields = { status: "active", availability: "workspace_users", repoUrl: "" };
      const { parsed } = jsonOf(await post(formOf(files, fields)), ImportReport.strict());
      expect(parsed.imported).toMatchObject([{ name: "from-api", filePath: "from-api/SKILL.md" }]);
      const [found] = (await list("")).filter(({ name }) => name === "from-api");
      expect(found).toMatchObject({
        source: "api",
        sourceMetadata: null,
        fileAttachments: [{ fileName: "a/ü b.txt" }],
      });
    });

    it("is refused with a line for each file, and leaves no trace", async () => {
      const before = await everything();
      const good = { "good/SKILL.md": skill("good") };
      const anchors = "---\nname: &a bad\ndescription: *a\n---\n";
      const hostile: [files: Record<string, string>, field: string, reason: string][] = [
        [{ "good/../../x": "x" }, "good/../../x", "must not have . or .."],
        [{ "/good/x": "x" }, "/good/x", "must not be absolute"],
        [{ "good\\x": "x" }, "good\\x", "must not have a backslash"],
        [{ "good/skill.md": "x" }, "good/skill.md", "or a similar one"],
        [{ "bad/SKILL.md": anchors }, "bad/SKILL.md", "anchors are not allowed"],
        [{ "bad/SKILL.md": "no front matter" }, "bad/SKILL.md", "must begin with front matter"],
        [{ "bad/SKILL.md": skill("other") }, "bad/SKILL.md", "must be its folder's name"],
        [{ "bad/SKILL.md": `${skill("bad")}\u0000` }, "bad/SKILL.md", "must not contain NUL"],
        [{ "bad/SKILL.md": skill("bad").padEnd(2 ** 20 + 1) }, "bad/SKILL.md", "1048576 bytes"],
        [{ "good/x": "x".repeat(20 * 2 ** 20) }, "files", "must be at most 20971520 bytes"],
        [
          Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`good/${index}`, ""])),
          "files",
          "must be at most 200 files",
        ],
      ];
      for (const [files, field, reason] of hostile) {
        const answer = await post(formOf({ ...good, ...files }));
        const message = `Invalid request body: ${field}: `;
        expectError(answer, "invalid_request_error", { message, field });
        expect(answer.text).toContain(reason);
      }
      expect(await everything()).toEqual(before);
    });

    it("leaves a record in the audit log", async () => {
      const { workspaceId } = server().demo;
      const records = async () => {
        const json = { wId: workspaceId };
        const audit = `/rpc/audit.list?input=${encodeURIComponent(JSON.stringify(json))}`;
        const { text } = await send(server(), { path: audit });
        const { result } = JSON.parse(text) as {
          result: { data: { json: { auditEvents: { action: string; subjectId: string }[] } } };
        };
        return result.data.json.auditEvents.filter(({ action }) => action === "skills.import");
      };
      const refused = await post(formOf({ "other/SKILL.md": skill("plain") }));
      expect(refused.status).toBe(400);

      const { parsed } = jsonOf(
        await post(formOf({ "plain/SKILL.md": skill("plain") })),
        ImportReport,
      );
      const [latest, before] = await records();
      expect(latest).toMatchObject({
        outcome: "succeeded",
        subjectId: parsed.imported[0]!.sId,
        workspaceId,
      });
      expect(before).toMatchObject({ outcome: "invalid_request_error", subjectId: null });
    });

    it("is refused for bad fields, other bodies and roles", async () => {
      const good = { "good/SKILL.md": skill("good") };
      for (const [field, value] of [
        ["onConflict", "ask"],
        ["status", "x"],
        ["repoUrl", "javascript:alert(1)"],
      ] as const) {
        const answer = await post(formOf(good, { [field]: value }));
        expectError(answer, "invalid_request_error", { field });
      }
      const misplaced = formOf(good);
      misplaced.append("file", new Blob(["x"]), "x");
      expectError(await post(misplaced), "invalid_request_error", { field: "file" });
      const json = await send(server(), { path: pathsOf(server()).skills, json: {} });
      expectError(json, "invalid_request_error", { message: "Invalid request body: the content" });
      expectError(await post(formOf({})), "invalid_request_error", { message: "Invalid request" });
      expectError(await post(formOf(good), server().demo.userKey), "app_auth_error");
      expectError(await post(formOf(good), "sk-nobody"), "invalid_api_key_error");
      expect((await everything()).map(({ name }) => name)).not.toContain("good");
    });

    it("tells a client of each fault", async () => {
      const { url, demo } = server();
      const parley = createParley({
        baseUrl: url,
        workspaceId: demo.workspaceId,
        apiKey: demo.adminKey,
      });
      const content = "nothing";
      const files = [
        { path: "a/SKILL.md", content },
        { path: "b/SKILL.md", content },
      ];
      const refusal = await parley.skills.import({ files }).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ParleyError);
      expect((refusal as ParleyError).issues.map((issue) => issue.path)).toEqual([
        "a/SKILL.md",
        "b/SKILL.md",
      ]);
    });
  });
}
