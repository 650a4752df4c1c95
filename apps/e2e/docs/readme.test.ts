import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createPlace, eventually, type Place, root, startServer } from "../server.ts";

const run = promisify(execFile);

/** Every block of shell commands of a document, but those that install, serve and test. */
async function readCommands(document: string): Promise<string> {
  const text = await readFile(path.join(root, document), "utf8");
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks.filter((block) => !block.startsWith("npx ")).join("\n");
}

/** Runs commands in a folder whose data directory is the place's, and gives what they print. */
async function runBeside(place: Place, commands: string): Promise<string> {
  // The documents speak of the default data directory, below the folder one is in.
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-readme-"));
  await symlink(place.directory, path.join(folder, ".parley"));
  try {
    const { stdout } = await run("bash", ["-euc", commands], { cwd: folder });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("the README's calls work as they stand, one after the other", async () => {
  await using place = await createPlace("pglite");
  await using server = await startServer(place);
  expect(server.url).toMatch(/^http:/);
  const stdout = await runBeside(place, await readCommands("README.md"));
  expect(stdout).toContain('"content":"You said: Hello!');
  expect(stdout).toMatch(/("conversation":\{"id":\d+\n)\1/);
  expect(stdout).toContain('"name":"active-workspace-users"');
  expect(stdout).toMatch(/data: \{"type":"sandbox_function_invocation_created",/);
  expect(stdout).toMatch(/"result":\{"sum":3\}\}\n\n/);
  expect(stdout).toMatch(/"action":"apiKeys.create".*"nextCursor":null\}\}\}\}$/);
});

test("the calls of docs/files.md work behind the README's first", async () => {
  await using place = await createPlace("pglite");
  await using server = await startServer(place);
  expect(server.url).toMatch(/^http:/);
  const [variables = ""] = (await readCommands("README.md")).split("\ncurl ", 1);
  const stdout = await runBeside(place, variables + "\n" + (await readCommands("docs/files.md")));
  expect(stdout).toContain('"status":"ready"');
  expect(stdout).toContain('"snippet":"name,born\\nAda,1815\\n"');
  expect(stdout).toContain('"content":"You said: Who is it?');
  expect(stdout).toMatch(/\}Ada,1815\n$/);
});

test("the calls of docs/skills.md work behind the README's first", async () => {
  await using place = await createPlace("pglite");
  await using server = await startServer(place);
  expect(server.url).toMatch(/^http:/);
  const [variables = ""] = (await readCommands("README.md")).split("\ncurl ", 1);
  const stdout = await runBeside(place, `${variables}\n${await readCommands("docs/skills.md")}`);
  expect(stdout).toMatch(/^\{"imported":\[\{"sId":"skl_\w+","name":"greeting",/);
});

test("the commands that a start prints work as they stand", async () => {
  await using place = await createPlace("pglite");
  await using server = await startServer(place);
  // The banner comes after demo.json, which tells that the server serves.
  const commands = await eventually(async () => {
    const lines = server.output.stdout.split("\n").filter((line) => /^ +curl /.test(line));
    return lines.length === 3 ? { value: lines } : {};
  }, 5000);
  const answers = await Promise.all(commands.map((command) => run("bash", ["-euc", command])));
  const [created = "", listed = "", followed = ""] = answers.map(({ stdout }) => stdout);
  expect(JSON.parse(created)).toMatchObject({ conversation: { title: "Hello!" } });
  expect(JSON.parse(listed)).toHaveProperty("skills");
  expect(followed).toMatch(/"type":"sandbox_function_invocation_result".*\n\n$/);
});
