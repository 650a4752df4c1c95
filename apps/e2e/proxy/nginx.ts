import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { eventually, root } from "../server.ts";

/** Whether this machine has an nginx. */
export const hasNginx = spawnSync("nginx", ["-v"]).error === undefined;

/** An nginx in the foreground; it is gone when it is disposed of. */
export interface Nginx extends AsyncDisposable {
  readonly port: number;
}

/** Takes a port that nobody listens on now. */
export async function takePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts an nginx whose only server has these directives. Throws what it says if it does not serve. */
export async function startNginx(port: number, directives: string): Promise<Nginx> {
  return start(port, (directory) => {
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${directory}/${name};`)
      .join("\n  ");
    return {
      "nginx.conf": `worker_processes 1;
pid ${directory}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary}
  server {
    listen 127.0.0.1:${port};
    ${directives}
  }
}
`,
    };
  });
}

/**
 * Starts an nginx with the files of `deploy`: only its port, its process file and the address of the API are others.
 */
export async function startDeployedNginx(port: number, url: string): Promise<Nginx> {
  const read = (name: string) => readFile(path.join(root, "deploy", name), "utf8");
  const [conf, apis] = await Promise.all([read("nginx.conf"), read("apis.conf")]);
  return start(port, (directory) => ({
    "nginx.conf": replaceOnce(
      replaceOnce(conf, "listen 80;", `listen 127.0.0.1:${port};`),
      "pid /tmp/nginx.pid;",
      `pid ${directory}/nginx.pid;`,
    ),
    "apis.conf": replaceOnce(apis, "127.0.0.1:3000", new URL(url).host),
  }));
}

function replaceOnce(text: string, what: string, by: string): string {
  if (text.split(what).length !== 2) throw new Error(`${what} is not there once`);
  return text.replace(what, by);
}

async function start(
  port: number,
  files: (directory: string) => Readonly<Record<string, string>>,
): Promise<Nginx> {
  const directory = await mkdtemp(path.join(os.tmpdir(), "parley-nginx-"));
  // If root starts it, its worker is another user.
  await chmod(directory, 0o755);
  for (const [name, text] of Object.entries(files(directory))) {
    await writeFile(path.join(directory, name), text);
  }
  const file = path.join(directory, "nginx.conf");
  const log = path.join(directory, "error.log");
  const nginx = spawn("nginx", ["-p", directory, "-c", file, "-e", log, "-g", "daemon off;"], {
    stdio: "ignore",
  });
  const end = () => void nginx.kill("SIGTERM");
  process.on("exit", end);
  const exited = once(nginx, "exit");
  const dispose = async () => {
    process.off("exit", end);
    end();
    await exited;
    await rm(directory, { recursive: true });
  };
  try {
    await eventually(async () => {
      if (nginx.exitCode !== null) return { stop: new Error(await readFile(log, "utf8")) };
      return (await accepts(port)) ? { value: true } : {};
    }, 10_000);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { port, [Symbol.asyncDispose]: dispose };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
