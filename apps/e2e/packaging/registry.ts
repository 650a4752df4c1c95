import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { findFreePort } from "@parley/db/testing";
import { runIn } from "../../../.ci/pnpm.ts";
import { published } from "../../../.ci/published.ts";
import { endWithThisProcess } from "../programs.ts";
import { eventually } from "../server.ts";
import { createFolder, type Folder, pack } from "./packed.ts";

// A registry of npm on this machine, which has the packed packages and passes all others on.

// Fetched where it is needed: as a dependency of the workspace, its 320 packages would be everybody's to install.
const VERDACCIO = "verdaccio@6.10.4";
/** Its node-fetch is named by a tag that not every registry has. */
const overrides = { "node-fetch": "2.7.0" };

/** The npm that is installed, run by the Node of this process. */
export function npmOf(program: "npm" | "npx"): [file: string, ...args: string[]] {
  const { stdout } = spawnSync("npm", ["root", "--global"], { encoding: "utf8" });
  return [process.execPath, path.join(stdout.trim(), "npm/bin", `${program}-cli.js`)];
}

export interface Registry extends AsyncDisposable {
  readonly url: string;
}

/** Starts a registry on loopback, and publishes what users install into it. */
export async function startRegistry(): Promise<Registry> {
  const folder = await createFolder();
  const stack = new AsyncDisposableStack();
  stack.use(folder);
  try {
    await folder.write("package.json", JSON.stringify({ private: true, overrides }));
    const [node, npm] = npmOf("npm");
    await folder.run(node, [npm!, "install", "--ignore-scripts", "--no-audit", VERDACCIO]);
    const uplink = (await folder.run(node, [npm!, "config", "get", "registry"])).trim();
    await folder.write("config.yaml", configOf(uplink));
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    const main = path.join(folder.path, "node_modules/verdaccio/bin/verdaccio");
    const args = [main, "--config", "config.yaml", "--listen", `127.0.0.1:${port}`];
    const child = spawn(process.execPath, args, { cwd: folder.path, stdio: "ignore" });
    endWithThisProcess(child);
    const exited = once(child, "close");
    stack.defer(async () => {
      child.kill();
      await exited;
    });
    await eventually(async () => {
      const answer = await fetch(`${url}-/ping`).catch(() => undefined);
      return answer?.ok === true ? { value: true } : {};
    }, 60_000);
    for (const one of published) await publish(url, await pack(one, folder), folder);
    return { url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Publishes a tarball, to this machine only; provenance needs a public repository's CI. */
async function publish(url: string, tarball: string, folder: Folder): Promise<void> {
  const { hostname, host } = new URL(url);
  if (hostname !== "127.0.0.1") throw new Error(`${url} is not on this machine`);
  await folder.write("npmrc", `//${host}/:_authToken=none\n`);
  const [node, npm] = npmOf("npm");
  const options = ["--registry", url, "--userconfig", "npmrc", "--provenance=false"];
  await runIn(folder.path, node, [npm!, "publish", ...options, tarball]);
}

const configOf = (uplink: string): string => `
storage: ./storage
max_body_size: 100mb
uplinks:
  npm: { url: ${JSON.stringify(uplink)} }
packages:
  ${published.map(({ name }) => `${name}: { access: $all, publish: $all }`).join("\n  ")}
  "**": { access: $all, proxy: npm }
log: { type: stdout, level: error }
`;
