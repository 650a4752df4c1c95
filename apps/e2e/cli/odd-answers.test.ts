import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openUser } from "./user.ts";

// What no Parley answers: another server at the URL, or a proxy in between.
let answer: string;
const server = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "application/json").end(answer);
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const settings = () => ({
  PARLEY_URL: url,
  PARLEY_API_KEY: "sk-odd-answers-1",
  PARLEY_WORKSPACE: "AAAAAAAAAA",
});
const commands = [["agents", "list"], ["keys", "list"], ["whoami"]];

test.for([
  ["null"],
  ["{}"],
  ["[]"],
  ["<html>"],
  ['[{"result":{"data":{"json":{}}}}]'],
  ['[{"result":{"data":{"json":null}}}]'],
  ['{"agentConfigurations":5,"apiKeys":{},"session":"x"}'],
])("an answer of %s is said to be no answer of Parley", async ([given = ""]) => {
  answer = given;
  const { run } = await openUser();
  const ran = commands.map(async (command) => ({
    command,
    ...(await run(command, "", settings())),
  }));
  for (const { command, code, stderr, stdout } of await Promise.all(ran)) {
    expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: "" });
    expect(stderr).toMatch(/^parley: The server's answer (?:is not JSON|cannot be read)/);
    expect(stderr).not.toMatch(/Cannot|undefined|start the server|Unexpected/);
  }
});
