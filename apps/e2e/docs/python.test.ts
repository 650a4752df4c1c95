import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startTcpProxy } from "../replicas/tcp-proxy.ts";
import { shareServer } from "../server.ts";
import { readBlocks } from "./blocks.ts";
import { hasPython } from "./run-page.ts";

const server = shareServer();

test.skipIf(!hasPython)(
  "the program of docs/guide/python.md goes on after each broken connection",
  async () => {
    const { demo, url } = server();
    await using proxy = await startTcpProxy(Number(new URL(url).port));
    const folder = await mkdtemp(path.join(os.tmpdir(), "parley-python-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [block] = readBlocks("docs/guide/python.md");
    const file = path.join(folder, "ask.py");
    await writeFile(file, block?.text ?? "");

    const env = { URL: `http://127.0.0.1:${proxy.port}`, W: demo.workspaceId, KEY: demo.adminKey };
    const program = spawn("python3", [file], {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...env },
    });
    const waiting = ["take", "after", "find"];
    let printed = "";
    let failed = "";
    program.stderr.on("data", (chunk: Buffer) => (failed += chunk.toString()));
    program.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (!printed.includes(waiting[0] ?? "\0")) return;
      waiting.shift();
      proxy.reset();
    });
    const [code] = (await once(program, "close")) as [number];
    expect([code, failed]).toEqual([0, ""]);
    expect(waiting).toEqual([]);
    expect(printed).toBe(
      "I take my time, so that you can watch the words arrive one after the other, lose the connection in the middle " +
        "of a sentence, come back with the number of the last event you have, and find that nothing is missing.\nTrue\n",
    );
  },
);
