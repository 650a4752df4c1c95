import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A server of the registry that runs as a process of its own, on loopback. */
export interface RealServer extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
}

const modules = path.join(import.meta.dirname, "../node_modules");

/** Starts `@modelcontextprotocol/server-everything`, which speaks streamable HTTP itself. */
async function startEverything(): Promise<RealServer> {
  const port = await freePort();
  const main = path.join(modules, "@modelcontextprotocol/server-everything/dist/index.js");
  return start([main, "streamableHttp"], port);
}

/** Starts a server that speaks stdio only behind a bridge, `supergateway`. */
async function startBridged(name: string, ...args: readonly string[]): Promise<RealServer> {
  const port = await freePort();
  const main = path.join(modules, name, "dist/index.js");
  const command = [process.execPath, main, ...args].map((word) => `"${word}"`).join(" ");
  const bridge = path.join(modules, "supergateway/dist/index.js");
  const options = ["--outputTransport", "streamableHttp", "--stateful", "--port", String(port)];
  return start([bridge, "--stdio", command, ...options], port);
}

/** Starts three published servers; that of files has a folder with `hello.txt`, which is removed with them. */
export async function startPublished() {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-mcp-"));
  await writeFile(path.join(folder, "hello.txt"), "Hello from a file");
  const [everything, files, memory] = await Promise.all([
    startEverything(),
    startBridged("@modelcontextprotocol/server-filesystem", folder),
    startBridged("@modelcontextprotocol/server-memory"),
  ]);
  const servers = { everything, files, memory };
  return {
    folder,
    servers,
    close: async () => {
      await Promise.all(Object.values(servers).map((one) => one[Symbol.asyncDispose]()));
      await rm(folder, { recursive: true });
    },
  };
}

async function start(args: readonly string[], port: number): Promise<RealServer> {
  // With a group of its own, so that what it starts ends with it.
  const child = spawn(process.execPath, args, {
    env: { PORT: String(port) },
    stdio: "ignore",
    detached: true,
  });
  const exited = once(child, "exit");
  const host = `127.0.0.1:${port}`;
  const stop = async () => {
    if (isRunning(child)) process.kill(-(child.pid ?? 0), "SIGKILL");
    await exited;
  };
  const url = `http://${host}/mcp`;
  await untilItAnswers(url, child).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, host, [Symbol.asyncDispose]: stop };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

const POLL_MS = 50;
const START_MS = 60_000;

async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && isRunning(child)) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(POLL_MS);
  }
  throw new Error(`No server at ${url}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
