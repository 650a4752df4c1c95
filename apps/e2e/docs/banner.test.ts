import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createPlace, eventually, startServer } from "../server.ts";

const run = promisify(execFile);

test("the commands that a start prints work as they stand", async () => {
  await using place = await createPlace({ isEmbedded: true });
  await using server = await startServer(place);
  // The banner comes after demo.json, which tells that the server serves.
  const commands = await eventually(async () => {
    const lines = server.output.stdout.split("\n").filter((line) => /^ +curl /.test(line));
    return lines.length === 3 ? { value: lines } : {};
  }, 5000);
  const answers = await Promise.all(
    commands.map((command) => run("bash", ["--norc", "-euc", command])),
  );
  const [created = "", listed = "", followed = ""] = answers.map(({ stdout }) => stdout);
  expect(JSON.parse(created)).toMatchObject({ conversation: { title: "Hello!" } });
  expect(JSON.parse(listed)).toHaveProperty("skills");
  expect(followed).toMatch(/"type":"sandbox_function_invocation_result".*\n\n$/);
});
