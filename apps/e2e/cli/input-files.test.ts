import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openUser } from "./user.ts";

test.for([
  {
    text: "name: Bad\nmodel: [\n",
    said: /^parley: bad\.yaml:3:1: [^;\n]+: it is neither JSON nor YAML\n$/,
  },
  {
    text: "name: Bad\nmodel:\n  providerId: simulated\n  modelId: 7\nmaxStepsPerRun: many\n",
    said: /^parley: bad\.yaml:4:3: model\.modelId: [^;]+; bad\.yaml:5:1: maxStepsPerRun: [^;\n]+\n$/,
  },
  { text: "name: &x Bad\ndescription: *y\n", said: /^parley: bad\.yaml:2:14: Unresolved alias/ },
  { text: "- name: Bad\n", said: /^parley: bad\.yaml: has no fields; / },
])("what is wrong in a file is said in a line, with its place: $text", async ({ text, said }) => {
  const { home, run } = await openUser();
  await writeFile(path.join(home, "bad.yaml"), text);
  const { code, stdout, stderr } = await run(["agents", "create", "--file", "bad.yaml"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(said);
});

test("a value of an option says its place too", async () => {
  const { run } = await openUser();
  const { stderr } = await run(["agents", "create", "Bad", "--model", "{ providerId: [ }"]);
  expect(stderr).toMatch(/^parley: --model:1:17: [^\n]+: it is neither JSON nor YAML\n$/);
});
