import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { entryFile } from "../entry-file.ts";

const stuck = "data:text/javascript,process.on('exit', () => { for (;;); })";
const extraction = { kind: "rtf", maxCharacters: 99, maxPages: 1, maxUnpackedBytes: 1 };
const bundling = { files: { "index.ts": "" }, entry: "index.ts", maxBundleBytes: 9999 };

it.each([
  ["extract-entry", `${JSON.stringify(extraction)}\n{\\rtf1 text}`, { text: "text" }],
  ["bundle-entry", JSON.stringify(bundling), { faults: [expect.anything()] }],
] as const)("%s answers although its exit would never end", (entry, input, answer) => {
  const command = ["--import", stuck, entryFile(entry)];
  const ended = spawnSync(process.execPath, command, { input, encoding: "utf8", timeout: 20_000 });
  expect(ended.error).toBeUndefined();
  expect(ended.stdout).toMatch(/^.+\n$/);
  expect(JSON.parse(ended.stdout)).toEqual(answer);
});
