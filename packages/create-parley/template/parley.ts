import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const root = import.meta.dirname;
const bin = path.join(root, "node_modules/.bin/parley");

export interface Parley {
  readonly url: string;
  readonly workspaceId: string;
  readonly apiKey: string;
  readonly stop: () => Promise<void>;
}

/** Starts the server with a demo workspace, and makes of it what the files in `parley/` say. */
export async function startParley(
  settings: Readonly<Record<string, string>> = {},
): Promise<Parley> {
  const directory = settings["PARLEY_DATA_DIR"] ?? path.join(root, ".parley");
  const env = { ...process.env, ...settings, PARLEY_DATA_DIR: directory };
  const server = spawn(bin, ["serve", "--demo"], { cwd: root, env, stdio: "inherit" });
  const stop = async (): Promise<void> => {
    if (server.exitCode !== null || !server.kill("SIGTERM")) return;
    await once(server, "exit");
  };
  try {
    const { url, workspaceId, adminKey: apiKey } = await readDemo(server, directory);
    const named = { PARLEY_URL: url, PARLEY_WORKSPACE: workspaceId, PARLEY_API_KEY: apiKey };
    const apply = spawn(bin, ["apply", "parley", "--yes"], {
      cwd: root,
      env: { ...process.env, ...named },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = await once(apply, "exit");
    if (code !== 0) throw new Error("The files in parley/ could not be applied");
    return { url, workspaceId, apiKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Demo {
  readonly pid: number;
  readonly url: string;
  readonly workspaceId: string;
  readonly adminKey: string;
}

/** Waits until the server has written which workspace it has, and where it serves. */
async function readDemo(server: ChildProcess, directory: string): Promise<Demo> {
  while (server.exitCode === null) {
    const text = await readFile(path.join(directory, "demo.json"), "utf8").catch(() => "{}");
    const demo = JSON.parse(text) as Demo;
    // The file of an earlier start names another process.
    if (demo.pid === server.pid) return demo;
    await sleep(100);
  }
  throw new Error(`Parley ended with ${server.exitCode}`);
}
