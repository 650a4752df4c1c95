import { expect, test } from "vitest";
import schema from "../../../packages/schema/package.json" with { type: "json" };
import { filesLoadedBy, importsOf, packages, type Source, sources } from "./packages.ts";

// Who may import whom: the packages of docs/architecture.md, read from manifests and from the code itself.

const everything = packages.map(({ name }) => name);
/** The names of packages by their folders, as in `schema`. */
const nameOf = new Map(packages.map(({ folder, name }) => [folder.split("/")[1] ?? "", name]));

const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/schema": [],
  "packages/db": ["schema"],
  "packages/cron": [],
  "packages/fair-queue": [],
  "packages/core": ["schema", "db", "mcp", "fair-queue", "cron"],
  "packages/agent": ["schema", "guarded-fetch"],
  "packages/guarded-fetch": [],
  "packages/mcp": ["schema", "guarded-fetch"],
  "packages/sandbox": ["schema", "guarded-fetch", "fair-queue"],
  "packages/rpc": ["schema", "core"],
  "packages/client": ["schema"],
  "packages/create-parley": [],
  "packages/command": ["db"],
  "apps/api": ["schema", "db", "core", "rpc", "fair-queue"],
  "apps/worker": ["schema", "db", "core", "agent", "mcp", "guarded-fetch", "sandbox"],
  "apps/console": ["client", "schema"],
  "apps/server": [
    "api",
    "worker",
    "command",
    "core",
    "db",
    "mcp",
    "sandbox",
    "schema",
    "fair-queue",
  ],
  "apps/cli": ["server", "worker", "client", "command", "core", "cron", "sandbox", "schema"],
};
const allowed = (folder: string): readonly string[] =>
  mayImport[folder]?.map((name) => nameOf.get(name) ?? "") ?? everything;

const isTest = ({ file }: Source) => /\.(?:test|conformance)\.tsx?$/.test(file);
const ofPackage = (folder: string) =>
  sources.filter(({ file }) => file.startsWith(`${folder}/src/`) && !file.includes(".config."));
const isOurs = (name: string) => everything.includes(name);
const packageName = (from: string) =>
  from.startsWith("@") ? from.split("/").slice(0, 2).join("/") : (from.split("/")[0] ?? from);

/** What is packed with the code of what it imports, which users then do not install beside it. */
const bundled: readonly string[] = ["packages/client", "apps/cli"];

test.for(packages)("$folder depends on what it may, and imports what it depends on", (one) => {
  const { folder, name: self, dependencies } = one;
  expect(dependencies.filter(isOurs).filter((name) => !allowed(folder).includes(name))).toEqual([]);
  for (const source of ofPackage(folder)) {
    for (const { from, isType } of importsOf(source)) {
      const name = packageName(from);
      if (from.startsWith("node:") || name === self) continue;
      // What is not installed by users may do with devDependencies.
      const isOwn = ["apps/bench", "apps/e2e", ...bundled].includes(folder);
      const declared = isTest(source) || isType || isOwn;
      const known = declared ? [...dependencies, ...one.devDependencies, "vitest"] : dependencies;
      expect(known, `${source.file} imports ${from}`).toContain(name);
      // The client knows the router as a type, and nothing of it at run time.
      if (!isOurs(name) || isTest(source) || (isType && folder === "packages/client")) continue;
      expect(allowed(folder), `${source.file} imports ${from}`).toContain(name);
    }
  }
});

test("the client imports the RPC as a type only", () => {
  const imports = ofPackage("packages/client").flatMap(importsOf);
  const ofRpc = imports.filter(({ from }) => packageName(from) === "@parley/rpc");
  expect(ofRpc.every(({ isType }) => isType)).toBe(true);
});

const namesIn = (folder: string) =>
  new Set(
    ofPackage(folder)
      .filter((source) => !isTest(source))
      .flatMap(importsOf)
      .map(({ from }) => (from.startsWith("node:") ? from : packageName(from))),
  );

test("schema imports zod and nothing else", () => {
  expect([...namesIn("packages/schema")]).toEqual(["zod"]);
});

test("the console loads no module of the schema that loads zod", () => {
  const exported = Object.entries(schema.exports).map(([name, { "@parley/source": file }]) => {
    return [name.replace(/^\./, "@parley/schema"), file.replace(/^\./, "packages/schema")] as const;
  });
  const files = new Map(exported);
  const loaded = ofPackage("apps/console")
    .filter((source) => !isTest(source))
    .flatMap(importsOf)
    .filter(({ from, isType }) => !isType && packageName(from) === "@parley/schema")
    .map(({ from }) => files.get(from) ?? from);
  const reached = new Set(loaded);
  for (const file of reached) {
    const source = sources.find((one) => one.file === file)!;
    for (const next of filesLoadedBy(source)) reached.add(next);
    const packagesOf = importsOf(source).filter(({ isType }) => !isType);
    expect(packagesOf, file).toEqual([]);
  }
  expect(loaded).not.toEqual([]);
});

test("core knows no transport and no model", () => {
  const names = [...namesIn("packages/core")];
  expect(names.filter((name) => /^(?:fastify|@fastify|@trpc|ai$|@ai-sdk)/.test(name))).toEqual([]);
  expect(names).toContain("drizzle-orm");
});

test("the client of MCP servers knows no database", () => {
  const names = [...namesIn("packages/mcp")];
  expect(names.filter((name) => /^(?:pg|drizzle-orm|@parley\/db)$/.test(name))).toEqual([]);
  expect(names).toContain("@parley/guarded-fetch");
});

test("only server, cli, e2e and bench import other apps", () => {
  const apps = packages.filter(({ folder }) => folder.startsWith("apps/"));
  const appNames = apps.map(({ folder }) => folder.replace("apps", "@parley"));
  for (const { folder } of packages) {
    if (["apps/server", "apps/cli", "apps/e2e", "apps/bench"].includes(folder)) continue;
    const others = [...namesIn(folder)].filter((name) => appNames.includes(name));
    expect(others.filter((name) => name !== folder.replace("apps", "@parley"))).toEqual([]);
  }
});

test("of the client, only the program and its commands know what serves", () => {
  const knowing = ofPackage("apps/cli").filter((source) =>
    importsOf(source).some(({ from }) => packageName(from) === "@parley/server"),
  );
  expect(knowing.map(({ file }) => file)).toEqual([
    "apps/cli/src/command-groups.ts",
    "apps/cli/src/program.ts",
  ]);
});
