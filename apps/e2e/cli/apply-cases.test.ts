import { expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { openFolder, openWorkspace, writeFiles } from "./workspace-folder.ts";

const server = shareServer();

const agent = "description: Answers\nmodel:\n  providerId: simulated\n  modelId: simulated-1\n";
const code = (url: string): string =>
  `export default async ({ eur }, { fetch }) => eur * (await (await fetch("${url}")).json());\n`;
const rates = "https://rates.example.com/usd";
const rateCase = (result: number): string =>
  JSON.stringify({ input: { eur: 2 }, result, fetches: [{ url: rates, body: 3 }] });
const dollars = JSON.stringify({ slug: "dollars", allowedHosts: ["rates.example.com"] });

it("applies nothing if a case of a function that changes fails, unless it says --no-test", async () => {
  const workspace = await openWorkspace(server(), "Cases");
  const { succeed, fail, run, countMutations } = workspace;
  const folder = await openFolder({
    "parley.yaml": "{}\n",
    "agents/clerk.yaml": agent,
    "functions/dollars/function.json": dollars,
    "functions/dollars/index.js": code(rates),
    "functions/dollars/two.case.json": rateCase(7),
    "functions/one/function.json": '{ "slug": "one" }',
    "functions/one/index.js": "export default () => 1;\n",
    "functions/one/right.case.json": '{ "result": 1 }',
  });
  const before = await countMutations();
  // What only shows a plan runs nothing.
  expect(await succeed(["apply", folder, "--dry-run"])).toContain("+ function dollars\n");
  expect((await run(["apply", folder, "--check"])).stderr).not.toContain("cases failed");
  expect(await fail(["apply", folder, "--yes"])).toBe(
    [
      "failed: two (functions/dollars/two.case.json)",
      "  the result differs",
      "    -7",
      "    +6",
      "parley: 1 of 2 cases failed: nothing was applied; --no-test applies it anyway",
      "",
    ].join("\n"),
  );
  const failed = await run(["apply", folder, "--yes", "--json"]);
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(await countMutations()).toBe(before);

  expect(await succeed(["apply", folder, "--yes", "--no-test"])).toMatch(/Done: 3 changed\n$/);
  // Cases of what does not change are not run.
  await writeFiles(folder, { "agents/clerk.yaml": `${agent}maxStepsPerRun: 4\n` });
  await succeed(["apply", folder, "--yes"]);
  await writeFiles(folder, { "functions/dollars/index.js": code(`${rates}?now`) });
  expect(await fail(["apply", folder, "--yes"])).toContain(
    `  fetched without a recorded answer: GET ${rates}?now\n`,
  );
  await writeFiles(folder, {
    "functions/dollars/index.js": code(rates).replace("eur *", "1 * eur *"),
    "functions/dollars/two.case.json": rateCase(6),
  });
  expect(await succeed(["apply", folder, "--yes"])).toMatch(/Done: 1 changed\n$/);
});

it("names the function whose cases cannot be run", async () => {
  const { fail, countMutations } = await openWorkspace(server(), "Cases");
  const folder = await openFolder({
    "parley.yaml": "{}\n",
    "functions/one/function.json": '{ "slug": "one" }',
    "functions/one/index.js": "export default () => 1;\n",
    "functions/one/wrong.case.json": '{ "resultt": 1 }',
  });
  const before = await countMutations();
  expect(await fail(["apply", folder, "--yes"])).toMatch(
    /^parley: functions\/one: wrong\.case\.json: resultt: /,
  );
  await writeFiles(folder, {
    "functions/one/wrong.case.json": '{ "result": 1 }',
    "functions/one/index.js": "export default () => (;\n",
  });
  expect(await fail(["apply", folder, "--yes"])).toMatch(
    /^parley: functions\/one: 1 error in your code\nindex\.js:1:23: /,
  );
  expect(await countMutations()).toBe(before);
});
