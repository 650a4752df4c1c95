import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { checkBehaviour, createThreads } from "@parley/core";
import { SimulatedProgram } from "@parley/schema";
import { expect, test } from "vitest";
import { builtFile } from "../programs.ts";
import { root } from "../server.ts";

const run = promisify(execFile);
const parley = `parley() {
  '${process.execPath}' '${builtFile("parley.js")}' "$@"
}
`;

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-record-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("the page's command prints a program that a function can have", async () => {
  const page = await readFile(path.join(root, "docs/guide/simulated-functions.md"), "utf8");
  const [, commands = ""] = /^```sh\n([^]*?)^```$/m.exec(page) ?? [];
  await inFolder(async (folder) => {
    await run("bash", ["--norc", "-euc", parley + commands], { cwd: folder });
    const made: unknown = JSON.parse(await readFile(path.join(folder, "program.json"), "utf8"));
    const program = SimulatedProgram.parse(made);
    expect(program).toEqual(made);
    const { behaviour } = program;
    const threads = createThreads();
    const options = { workspaceId: 1, origin: "request" } as const;
    expect(await checkBehaviour(threads, behaviour, options)).toEqual([]);
    await threads.close();
    expect(behaviour).toMatchObject({ type: "recorded", recordings: [{ input: 1 }, { input: 2 }] });
  });
});

test("a file that cannot be replayed is refused with the line that is wrong", async () => {
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, "past.jsonl"), '\n{"input": 1}\n');
    const refused = run(
      "bash",
      ["--norc", "-euc", `${parley}parley functions record "$PWD/past.jsonl"`],
      {
        cwd: folder,
      },
    );
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^parley: \S+past\.jsonl: Line 2: outcome: is required.*\n$/),
    });
  });
});
