import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type BannerParts, installedCommand, renderBanner } from "./banner.ts";

const read = (file: string): string =>
  readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8");
const { packageManager, scripts } = JSON.parse(read("package.json")) as {
  packageManager: string;
  scripts: Record<string, string>;
};

const url = "http://127.0.0.1:3000";
const ofWorkspace: BannerParts = {
  url,
  consoleUrl: `${url}/#code=sc-…`,
  isConsoleComing: true,
  demoFile: "/home/you/parley/.parley/demo.json",
  directory: "/home/you/parley",
  hasOperator: true,
  parley: `npx -y ${packageManager} parley`,
};

const commandIn = (parts: Partial<BannerParts>): string | undefined =>
  renderBanner({ ...ofWorkspace, ...parts })
    .trimEnd()
    .split("\n")
    .at(-1)
    ?.trim();

it("is what the README shows of the first start, whose command is a script of the workspace", () => {
  expect(read("README.md")).toContain(`\`\`\`text\n${renderBanner(ofWorkspace)}\`\`\``);
  expect(scripts).toHaveProperty("parley");
});

it("says where the keys are to a command that would not find them", () => {
  expect(commandIn({ parley: "parley" })).toBe(`parley chat helper --url ${url}`);
  expect(commandIn({ parley: "parley", directory: "/home/you" })).toBe(
    `PARLEY_DATA_DIR='/home/you/parley/.parley' parley chat helper --url ${url}`,
  );
  expect(commandIn({ demoFile: "/it's here/demo.json" })).toContain(
    String.raw`PARLEY_DATA_DIR='/it'\''s here' npx`,
  );
});

it.for([
  ["/root/.npm/_npx/1a2b/node_modules/parley-server/dist/bin/serve.js", "npx parley-server"],
  ["/usr/lib/node_modules/parley-server/dist/bin/serve.js", "parley"],
  ["/app/dist/bin/serve.js", "parley"],
])("names the command of a package at %s", ([file = "", command]) => {
  expect(installedCommand(file)).toBe(command);
});
