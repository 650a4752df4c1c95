import { rm, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { openFolder, openWorkspace, readFiles, writeFiles } from "../cli/workspace-folder.ts";
import { shareServer } from "../server.ts";

const server = shareServer();

const manifest = (more: object): string => JSON.stringify({ version: "1.2.3", ...more });
const index = `import { Money } from "money";
import round from "@shop/round";

export default ({ net }: { net: number }) => Money.format(round(net * 1.2));
`;
const packageFile = '{ "dependencies": { "money": "^1.0.0", "@shop/round": "*" } }\n';
/** A package in ESM, one in CommonJS, and one that the first needs. */
const packages = {
  "node_modules/money/package.json": manifest({
    name: "money",
    license: "MIT",
    exports: { ".": { node: "./node.js", default: "./lib/money.js" } },
  }),
  "node_modules/money/node.js": 'import "node:fs";',
  "node_modules/money/lib/money.js":
    'import { sign } from "sign";\nexport class Money { static format(a) { return sign + a; } }\n',
  "node_modules/money/README.md": "# Money",
  "node_modules/sign/package.json": manifest({ name: "sign", licenses: [{ type: "ISC" }] }),
  "node_modules/sign/index.js": 'exports.sign = "€";\n',
  "node_modules/@shop/round/package.json": manifest({ name: "@shop/round", main: "./dist" }),
  "node_modules/@shop/round/dist/index.js": "module.exports = (a) => Math.round(a);\n",
  "node_modules/unused/package.json": manifest({ name: "unused" }),
};
const functionFiles = {
  "function.json": '{ "slug": "price" }\n',
  "index.ts": index,
  "price.case.json": '{ "input": { "net": 2 }, "result": "€2" }\n',
  "package.json": packageFile,
  "package-lock.json": "{}",
};
const under = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]));
/** What of the folder the server is sent. */
const sent = [
  "index.ts",
  "node_modules/@shop/round/dist/index.js",
  "node_modules/@shop/round/package.json",
  "node_modules/money/lib/money.js",
  "node_modules/money/package.json",
  "node_modules/sign/index.js",
  "node_modules/sign/package.json",
  "package.json",
];

it("tests, pushes and shows a function with packages, which another version keeps", async () => {
  const { succeed, rpc, wId } = await openWorkspace(server(), "Packages");
  const folder = await openFolder({ ...functionFiles, ...packages });
  expect(await succeed(["functions", "test", folder])).toBe("passed: price\n");
  expect(await succeed(["functions", "push", folder])).toMatch(/^created: .*, version 1\n/);
  expect(await succeed(["functions", "push", folder])).toMatch(/^unchanged: .*, version 1\n/);
  expect(await succeed(["functions", "invoke", "price", "--input", '{"net": 3}'])).toBe('"€4"\n');
  const { sandboxFunction } = await rpc.sandboxFunctions.get.query({ wId, functionId: "price" });
  const { program } = sandboxFunction;
  if (program.type !== "javascript") throw new Error(program.type);
  expect(Object.keys(program.source).toSorted()).toEqual(sent);

  await writeFiles(folder, {
    "node_modules/sign/package.json": manifest({ version: "2.0.0", license: "MIT" }),
    "node_modules/sign/index.js": 'exports.sign = "$";\n',
  });
  expect(await succeed(["functions", "push", folder, "--no-test"])).toMatch(/^updated: /);
  const shown = await succeed(["functions", "get", "price"]);
  expect(shown.slice(shown.indexOf("  - index.ts"))).toBe(
    [
      `  - index.ts: ${index.length} bytes`,
      `  - package.json: ${packageFile.length} bytes`,
      "  package: @shop/round 1.2.3 (names no license)",
      "  package: money 1.2.3 (MIT)",
      "  package: sign 2.0.0 (MIT)",
      "",
    ].join("\n"),
  );
  const versions = await succeed(["functions", "versions", "price"]);
  expect(versions).toContain("javascript, 2 files, @shop/round 1.2.3, money 1.2.3, sign 1.2.3");
  expect(versions).toContain("javascript, 2 files, @shop/round 1.2.3, money 1.2.3, sign 2.0.0");
  await succeed(["functions", "rollback", "price"]);
  expect(await succeed(["functions", "invoke", "price", "--input", '{"net": 3}'])).toBe('"€4"\n');
});

it("pulls the packages too, and applies them to another workspace", async () => {
  const first = await openWorkspace(server(), "Packages");
  const source = await openFolder({
    "parley.yaml": "{}\n",
    ...under("functions/price", { ...functionFiles, ...packages }),
  });
  expect(await first.succeed(["apply", source, "--yes"])).toContain("+ function price\n");
  expect(await first.succeed(["apply", source])).toMatch(/Nothing to change\n$/);
  // What is installed is as it was sent.
  const over = await first.succeed(["pull", source, "--yes"]);
  expect(over.split("\n").filter((line) => /^[~+-] functions/.test(line))).toEqual([
    "+ functions/price/tsconfig.json",
    "~ functions/price/function.json",
  ]);

  const pulled = await openFolder();
  await first.succeed(["pull", pulled]);
  expect(Object.keys(await readFiles(path.join(pulled, "functions/price")))).toEqual(
    [...sent, "function.json", "tsconfig.json"].toSorted(),
  );
  const second = await openWorkspace(server(), "Others");
  await second.succeed(["apply", pulled, "--yes"]);
  expect(await second.succeed(["functions", "invoke", "price", "--input", '{"net": 3}'])).toBe(
    '"€4"\n',
  );
  expect(await first.succeed(["apply", pulled, "--check"])).toMatch(/Nothing to change\n$/);

  // Another version of a package is written over the one that was pulled, and into no link.
  const sign = "node_modules/sign/index.js";
  const changed = 'exports.sign = "$";\n';
  await writeFiles(path.join(source, "functions/price"), { [sign]: changed });
  await first.succeed(["apply", source, "--yes", "--no-test"]);
  expect(await first.succeed(["pull", pulled, "--yes"])).toContain(`~ functions/price/${sign}\n`);
  expect(await first.succeed(["apply", pulled, "--check"])).toMatch(/Nothing to change\n$/);
  const elsewhere = await openFolder({ "package.json": manifest({}), "index.js": "untouched" });
  const link = path.join(pulled, "functions/price/node_modules/sign");
  await rm(link, { recursive: true });
  await symlink(elsewhere, link);
  expect(await first.fail(["pull", pulled, "--yes"])).toContain(
    "functions/price/node_modules/sign: is a link, and the workspace has another version of the package: remove ",
  );
  expect((await readFiles(elsewhere))["index.js"]).toBe(Buffer.from("untouched").toString("hex"));
});

it("refuses what cannot be part of a function by its name, before anything is sent", async () => {
  const { fail, countMutations } = await openWorkspace(server(), "Packages");
  const folder = await openFolder({ ...functionFiles, ...packages });
  const refusal = async (files: Readonly<Record<string, string>>): Promise<string> => {
    await writeFiles(folder, { ...packages, ...files });
    return fail(["functions", "push", folder]);
  };
  const before = await countMutations();
  const place = "node_modules/sign/index.js";
  expect(await refusal({ [place]: 'require("fs");\n' })).toBe(
    `parley: 1 error in your code\n${place}:1:9: "fs" is not a file of the program: modules of Node are not available (in the package sign)\n`,
  );
  expect(await refusal({ [place]: 'require("./build/sign.node");\n' })).toBe(
    `parley: 1 error in your code\n${place}:1:9: "./build/sign.node" is native code of the package sign, which functions cannot run\n`,
  );
  expect(await refusal({ [place]: "require(process.argv[2]);\n" })).toBe(
    `parley: 1 error in your code\n${place}:1:1: require() of a computed name is in no bundle: write the name itself (in the package sign)\n`,
  );
  expect(
    await refusal({ "node_modules/sign/package.json": manifest({ main: "../../../secret.js" }) }),
  ).toBe(
    [
      "parley: 1 error in your code",
      'node_modules/money/lib/money.js:1:22: node_modules/sign/package.json of the package sign leads out of it: "../../../secret.js" (in the package money)',
      "",
    ].join("\n"),
  );
  expect(await refusal({ "package.json": "{" })).toMatch(/\/package\.json: Expected property name/);
  await writeFiles(folder, { ...packages, "package.json": packageFile, [place]: "" });
  await writeFiles(folder, {
    "node_modules/sign/.hidden.js": "",
    [place]: 'require("./.hidden");',
  });
  expect(await fail(["functions", "push", folder])).toContain(
    "node_modules/sign/.hidden.js: must be a relative path of letters",
  );
  await rm(path.join(folder, "node_modules"), { recursive: true });
  expect(await fail(["functions", "push", folder])).toContain(
    'index.ts:1:23: "money" is not a file of the program: the package money is not installed\n' +
      '  import { Money } from "money";\n',
  );
  expect(await countMutations()).toBe(before);
});

it("refuses hostile sources that are posted to the server", async () => {
  const { rpc, wId } = await openWorkspace(server(), "Packages");
  const refusal = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const source = { "index.ts": 'import "a"; export default () => 1;', ...files };
    const program = { type: "javascript" as const, source };
    const { message } = await rpc.sandboxFunctions.create
      .mutate({ wId, slug: "posted", program })
      .then(
        () => new Error("It was stored"),
        (error: Error) => error,
      );
    return message;
  };
  const a = "node_modules/a/package.json";
  const isNoPath = "must be a relative path of letters, digits, dots, hyphens and underscores";
  for (const file of [
    "node_modules/../a/package.json",
    "node_modules/a/../../../etc/passwd",
    "/node_modules/a/package.json",
    "node_modules//a/package.json",
    "node_modules/./a/package.json",
    "node_modules/.pnpm/a/package.json",
    "node_modules\\a\\package.json",
    "Node_Modules/@a/b/package.json",
  ]) {
    expect(await refusal({ [file]: "{}" }), file).toContain(isNoPath);
  }
  expect(await refusal({ [a]: "{" })).toContain(`${a} of the package a is not valid JSON`);
  expect(await refusal({ [a]: manifest({ main: "../../../../etc/passwd" }) })).toContain(
    `${a} of the package a leads out of it: "../../../../etc/passwd"`,
  );
  expect(await refusal({ [a]: manifest({ exports: "../../index.ts" }) })).toContain(
    `${a} of the package a leads out of it: "../../index.ts"`,
  );
  expect(await refusal({ [a]: '{"exports": {"__proto__": "./x.js"}}' })).toContain(
    'The package a does not export "."',
  );
  expect(await refusal({ "node_modules/A/package.json": "{}" })).toContain(
    "the package a is not installed",
  );
  const many = Array.from({ length: 200 }, (_, at) => [`node_modules/a/${at}.js`, ""]);
  expect(await refusal(Object.fromEntries(many))).toContain("must have at most 200 files");
  const { sandboxFunctions } = await rpc.sandboxFunctions.listAll.query({ wId });
  expect(sandboxFunctions).toEqual([]);
});
