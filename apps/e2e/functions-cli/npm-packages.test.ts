import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { pnpm } from "../../../.ci/pnpm.ts";
import { openFolder, openWorkspace } from "../cli/workspace-folder.ts";
import { shareServer } from "../server.ts";

const server = shareServer();

const source = `import dayjs from "dayjs";
import utc from "dayjs/plugin/utc";
import chunk from "lodash/chunk.js";
import { nanoid } from "nanoid";
import { satisfies } from "semver";
import * as z from "zod";

dayjs.extend(utc);
const Input = z.object({ date: z.string() });

export default (input: unknown) => {
  const { date } = Input.parse(input);
  return {
    next: dayjs.utc(date).add(1, "day").format("YYYY-MM-DD"),
    id: nanoid().length,
    parts: chunk([1, 2, 3], 2),
    isNew: satisfies("2.0.1", "^2.0.0"),
  };
};
`;
const dependencies = {
  // CommonJS, with plugins; files that require each other; ESM that has another file for browsers; ESM and CommonJS.
  dayjs: "1.11.19",
  lodash: "4.17.21",
  nanoid: "5.1.6",
  semver: "7.7.3",
  zod: "4.1.12",
};
const files = {
  "function.json": '{ "slug": "dated", "cpuMs": 20000 }',
  "package.json": JSON.stringify({ private: true, dependencies }),
  "index.ts": source,
  "one.case.json": JSON.stringify({
    input: { date: "2026-02-28" },
    result: { next: "2026-03-01", id: 21, parts: [[1, 2], [3]], isNew: true },
  }),
};

it.each([["isolated"], ["hoisted"]])(
  "a function with packages of npm is pushed and runs, installed as %s",
  async (linker) => {
    const { succeed, rpc, wId } = await openWorkspace(server(), `Packages ${linker}`);
    const folder = await openFolder(files);
    const options = ["--prefer-offline", "--ignore-scripts", "--ignore-workspace"];
    await pnpm(folder, "install", ...options, `--config.node-linker=${linker}`);
    const entries = await readdir(path.join(folder, "node_modules"), { withFileTypes: true });
    const isLink = entries.find(({ name }) => name === "dayjs")?.isSymbolicLink();
    expect(isLink).toBe(linker === "isolated");

    expect(await succeed(["functions", "push", folder])).toMatch(/^created: /);
    const input = '{"date": "2026-12-31"}';
    const printed = await succeed(["functions", "invoke", "dated", "--input", input]);
    expect(JSON.parse(printed)).toEqual({
      next: "2027-01-01",
      id: 21,
      parts: [[1, 2], [3]],
      isNew: true,
    });
    const shown = await succeed(["functions", "get", "dated"]);
    for (const [name, version] of Object.entries(dependencies)) {
      const license = name === "semver" ? "ISC" : "MIT";
      expect(shown).toContain(`  package: ${name} ${version} (${license})\n`);
    }
    const read = await rpc.sandboxFunctions.get.query({ wId, functionId: "dated" });
    const { program } = read.sandboxFunction;
    const paths = program.type === "javascript" ? Object.keys(program.source) : [];
    expect(paths.filter((file) => file.includes(".pnpm"))).toEqual([]);
  },
);
