import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { notRun } from "./not-run.ts";
import { openApi } from "./open-api.ts";
import { serveWritableStreams } from "./writable-streams.ts";

const main = createRequire(import.meta.url).resolve("@durable-streams/server-conformance-tests");
const folder = path.resolve(path.dirname(main), "..");

const escape = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Tells the suite's runner where its tests are, and which of them concern writes. */
async function writeConfig(directory: string): Promise<void> {
  const config = {
    root: path.join(folder, "dist"),
    test: { include: ["test-runner.js"], exclude: [], testTimeout: 60_000 },
  };
  const left = notRun.flatMap(({ tests }) => tests.map(escape)).join("|");
  const text = `const config = ${JSON.stringify(config)};
config.test.testNamePattern = new RegExp(${JSON.stringify(`^(?!.*(?:${left}))`)});
export default config;`;
  await writeFile(path.join(directory, "vitest.config.mjs"), text);
}

test("the reads pass the protocol's own suite", { timeout: 240_000 }, async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "parley-conformance-"));
  try {
    await writeConfig(directory);
    await using api = await openApi({ PARLEY_CORS_ORIGINS: "https://example.com" });
    await using streams = await serveWritableStreams(api);
    const command = path.join(folder, "dist/cli.js");
    const child = spawn(process.execPath, [command, "--run", streams.url], {
      cwd: directory,
      env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (bytes: Buffer) => (output += String(bytes)));
    child.stderr.on("data", (bytes: Buffer) => (output += String(bytes)));
    const [code] = (await once(child, "close")) as [number];
    // eslint-disable-next-line no-control-regex -- the colors of a terminal
    const plain = output.replaceAll(/\u001b\[\d*m/g, "");
    expect(code, plain).toBe(0);
    const [, passed = "0"] = /Tests\s+(\d+) passed/.exec(plain) ?? [];
    expect(Number(passed), plain).toBeGreaterThan(100);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("each test that is not run exists", async () => {
  const source = await readFile(path.join(folder, "src/index.ts"), "utf8");
  const names = notRun.flatMap(({ tests }) => tests);
  expect(names.filter((name) => !source.includes(`\`${name}`))).toEqual([]);
});
