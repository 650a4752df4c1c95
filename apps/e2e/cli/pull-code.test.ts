import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root, shareServer } from "../server.ts";
import { openFolder, openWorkspace, readFiles, writeFiles } from "./workspace-folder.ts";

const run = promisify(execFile);

/** What the compiler of the repository says of a function's folder, as an editor would. */
const typeErrorsOf = async (folder: string): Promise<string> => {
  await access(path.join(folder, "tsconfig.json"));
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  return run(process.execPath, [compiler, "--project", folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
};

const index = `import type { Context } from "./context.d.ts";
import { double } from "./lib/double.ts";
import rates from "./rates.json";

export default async function price({ net }: { net: number }, context: Context) {
  context.log("info", "Pricing");
  return { gross: double(net) + rates.fee };
}
`;
const double = `import type { Context } from "../context.d.ts";

export const nameOf = ({ invocation }: Context): string => invocation.id;
export const double = (value: number): number => value * 2;
`;

describe("the code that parley pull writes", () => {
  const server = shareServer();

  it("type-checks in its folder, and bundles and runs in an empty workspace", async () => {
    const first = await openWorkspace(server(), "Code");
    const source = await openFolder();
    const folderOf = (place: string) => path.join(place, "functions/price");
    await first.succeed(["functions", "init", folderOf(source)]);
    await writeFiles(source, {
      "functions/price/index.ts": index,
      "functions/price/lib/double.ts": double,
      "functions/price/rates.json": '{ "fee": 1 }\n',
      "functions/price/function.json": '{ "slug": "price" }\n',
    });
    expect(await typeErrorsOf(folderOf(source))).toBe("");
    await first.succeed(["functions", "push", folderOf(source)]);
    await first.rpc.sandboxFunctions.create.mutate({
      wId: first.wId,
      slug: "plain",
      program: { type: "javascript", source: "export default () => 1;" },
    });

    const pulled = await openFolder();
    expect(await first.succeed(["pull", pulled])).toContain("+ functions/price/context.d.ts\n");
    expect(await typeErrorsOf(folderOf(pulled))).toBe("");
    expect(await typeErrorsOf(path.join(pulled, "functions/plain"))).toBe("");
    expect(Object.keys(await readFiles(path.join(pulled, "functions/plain"))).toSorted()).toEqual([
      "function.json",
      "index.ts",
      "tsconfig.json",
    ]);
    await writeFiles(pulled, {
      "functions/price/index.ts": index.replace("double(net)", 'double("1")'),
    });
    expect(await typeErrorsOf(folderOf(pulled))).toContain("TS2345");
    expect(await first.succeed(["pull", pulled, "--yes"])).toMatch(/^1 written, 0 removed/m);

    const second = await openWorkspace(server(), "Empty");
    await second.succeed(["apply", pulled, "--yes"]);
    const priced = await second.succeed(["functions", "invoke", "price", "--input", '{"net": 2}']);
    expect(JSON.parse(priced)).toEqual({ gross: 5 });
    expect(await second.succeed(["apply", pulled])).toMatch(/Nothing to change\n$/);

    // What editors were given is changed by nobody else, and goes with the function.
    await writeFiles(pulled, { "functions/plain/tsconfig.json": "{}\n" });
    expect(await first.succeed(["pull", pulled])).toMatch(/^0 written, 0 removed/m);
    const { sandboxFunctions } = first.rpc;
    await sandboxFunctions.archive.mutate({ wId: first.wId, functionId: "price" });
    await first.succeed(["pull", pulled, "--yes"]);
    expect(Object.keys(await readFiles(pulled)).filter((one) => one.includes("price"))).toEqual([]);
    expect((await readFiles(pulled))["functions/plain/tsconfig.json"]).toBeDefined();
  });
});
