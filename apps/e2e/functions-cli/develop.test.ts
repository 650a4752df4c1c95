import path from "node:path";
import { expect, it } from "vitest";
import { writeFiles } from "../cli/workspace-folder.ts";
import { eventually, type Program, shareServer } from "../server.ts";
import { openCli } from "./cli.ts";

const server = shareServer();

/** Waits until a program has printed what is looked for, after what it had printed before. */
async function printed(program: Program, what: RegExp, after = 0): Promise<number> {
  return eventually(async () => {
    const text = `${program.output.stdout}\n${program.output.stderr}`.slice(after);
    return what.test(text) ? { value: text.length } : {};
  }, 60_000);
}

it("runs the cases and an input after each change, writes types, and pushes what passes", async () => {
  const cli = await openCli(server());
  await cli.run(["init", "greet"]);
  const ada = { input: { name: "Ada" }, result: { greeting: "Hello, Ada!" } };
  await cli.write("greet/ada.case.json", JSON.stringify(ada));
  await cli.write("eve.json", JSON.stringify({ name: "Eve" }));
  const program = cli.start(["dev", "greet", "--input", "eve.json", "--push"]);
  const count = (what: RegExp) => program.output.stdout.match(what)?.length ?? 0;
  await printed(program, /Waiting for changes/);
  expect(program.output.stdout).toMatch(
    /^passed: ada\n\{"greeting":"Hello, Eve!"\}\ncreated: greet \(sfn_\w+\), version 1\n/,
  );
  expect(program.output.stderr).toContain("Greeting Eve\n");

  const right = await cli.read("greet/index.ts");
  await cli.write("greet/index.ts", right.replace("Hello", "Goodbye"));
  await printed(program, /1 of 1 cases failed/);
  expect(program.output.stdout).toContain('-  "greeting": "Hello, Ada!"\n');
  expect(count(/version 2/g)).toBe(0);
  await cli.write("greet/index.ts", right.replace("return {", "return ["));
  await printed(program, /index\.ts:7:20: Expected "\]"/);

  await cli.write("greet/index.ts", right.replace("Greeting ", "Greeting again "));
  await printed(program, /updated: greet \(sfn_\w+\), version 2/);
  await cli.configure("greet", { description: "Greets" });
  await printed(program, /version 3/);
  const outputSchema = { type: "object", properties: { greeting: { const: "Hello, Ada!" } } };
  await cli.configure("greet", { outputSchema });
  await printed(program, /written: greet\/schema\.d\.ts/);
  expect(await cli.read("greet/schema.d.ts")).toContain('greeting?: "Hello, Ada!";');
  await printed(program, /eve\.json: ended with invalid_output/);

  await cli.write("greet/schema.d.ts", "export type Input = any;\nexport type Result = any;\n");
  await cli.configure("greet", { outputSchema: {} });
  await printed(program, /version 4/);
  expect(await cli.read("greet/schema.d.ts")).toMatch(/^export type Input = any;/);

  program.signal("SIGINT");
  expect(await program.exited).toBe(0);
});

it("runs again after a package is installed", async () => {
  const cli = await openCli(server());
  await cli.run(["init", "dated", "--javascript"]);
  await cli.configure("dated", { inputSchema: {}, outputSchema: {} });
  await cli.write("dated/index.js", 'import day from "day"; export default () => day;\n');
  await cli.write("dated/day.case.json", '{ "result": "Monday" }');
  const write = async (file: string, text: string) =>
    writeFiles(path.join(cli.folder, "dated/node_modules/day"), { [file]: text });
  await write("package.json", "{");
  const program = cli.start(["dev", "dated"]);
  await printed(program, /day\/package\.json of the package day is not valid JSON/);
  await write("index.js", 'module.exports = "Monday";\n');
  await write("package.json", "{}");
  await printed(program, /passed: day/);
  program.signal("SIGINT");
  expect(await program.exited).toBe(0);
});

it("refuses a folder that is no function's, and a server that is not there, before it watches", async () => {
  const cli = await openCli(server());
  expect(await cli.fail(["dev", "missing"])).toContain("missing: no such file or directory");
  await cli.run(["init", "greet"]);
  const nowhere = { settings: { PARLEY_URL: "http://127.0.0.1:9" } };
  expect(await cli.fail(["dev", "greet", "--push"], nowhere)).toContain("Cannot reach the server");
});
