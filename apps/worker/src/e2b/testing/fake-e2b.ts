import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { encodeFrame } from "../e2b-machine.ts";

/** A request to the fake, and what of it tests look at. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** What the fake does in place of an answer: true if it has answered by itself, or lets the request hang. */
export type Trouble = (request: FakeRequest, response: ServerResponse) => boolean;

interface FakeSandbox {
  readonly home: string;
  readonly processes: Set<ChildProcess>;
}

export const FAKE_KEY = "e2b_0123456789abcdef";
const TOKEN = "token-of-envd";
const END_OF_STREAM = Buffer.from([2, 0, 0, 0, 2, 0x7b, 0x7d]);

/**
 * A server on the loopback that plays E2B's API and the servers inside its sandboxes. A sandbox is a directory, and
 * its processes run on this machine: for code of tests only.
 */
export async function startFakeE2b() {
  const sandboxes = new Map<string, FakeSandbox>();
  const requests: FakeRequest[] = [];
  let created = 0;
  let trouble: Trouble = () => false;
  const remove = async (id: string): Promise<boolean> => {
    const sandbox = sandboxes.get(id);
    sandboxes.delete(id);
    for (const child of sandbox?.processes ?? []) child.kill("SIGKILL");
    if (sandbox) await rm(sandbox.home, { recursive: true, force: true });
    return sandbox !== undefined;
  };
  const answer = async (request: FakeRequest, response: ServerResponse): Promise<void> => {
    const { method, headers } = request;
    const url = new URL(request.path, "http://fake");
    if (url.pathname.startsWith("/sandboxes")) {
      if (headers["x-api-key"] !== FAKE_KEY) return void response.writeHead(401).end();
      if (method === "DELETE") {
        const was = await remove(url.pathname.slice("/sandboxes/".length));
        return void response.writeHead(was ? 204 : 404).end();
      }
      const id = `sandbox${++created}`;
      const home = await mkdtemp(path.join(tmpdir(), "fake-e2b-"));
      sandboxes.set(id, { home, processes: new Set() });
      response.writeHead(201, { "content-type": "application/json" });
      const tokens = { envdAccessToken: TOKEN, trafficAccessToken: "token-of-traffic" };
      return void response.end(JSON.stringify({ sandboxID: id, envdVersion: "0.4.0", ...tokens }));
    }
    const sandbox = sandboxes.get(String(headers["e2b-sandbox-id"]));
    if (sandbox === undefined) return void response.writeHead(502).end();
    if (headers["x-access-token"] !== TOKEN) return void response.writeHead(401).end();
    if (url.pathname === "/process.Process/Start") return run(sandbox, request, response);
    if (method === "GET") {
      const file = path.join(sandbox.home, String(url.searchParams.get("path")));
      const content = await readFile(file).catch(() => undefined);
      return void response.writeHead(content ? 200 : 404).end(content);
    }
    const type = String(headers["content-type"]);
    const form = await new Response(new Uint8Array(request.body), {
      headers: { "content-type": type },
    }).formData();
    for (const file of form.getAll("file")) {
      if (typeof file === "string") throw new Error("Not a file");
      await writeFile(path.join(sandbox.home, file.name), await file.bytes());
    }
    response.writeHead(200).end("[]");
  };
  const receive = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { method = "", url = "", headers } = incoming;
      const body = Buffer.concat(await incoming.toArray());
      const request = { method, path: url, headers, body };
      requests.push(request);
      if (!trouble(request, response)) await answer(request, response);
    } catch {
      response.destroy();
    }
  };
  const server = createServer((incoming, response) => void receive(incoming, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** Settings of a server that uses it. */
    settings: {
      PARLEY_E2B_API_KEY: FAKE_KEY,
      PARLEY_E2B_API_URL: url,
      PARLEY_E2B_SANDBOX_URL: url,
    },
    requests,
    sandboxes,
    /** Deletes every sandbox, as E2B does when their time is over. */
    removeAll: () => Promise.all([...sandboxes.keys()].map(remove)),
    make: (made: Trouble): void => void (trouble = made),
    reset: (): void => {
      trouble = () => false;
      requests.length = 0;
    },
    close: async () => {
      await Promise.all([...sandboxes.keys()].map(remove));
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Runs what a request of a process asks for, and streams what it says. */
function run({ home, processes }: FakeSandbox, { body }: FakeRequest, response: ServerResponse) {
  const { process: asked } = JSON.parse(body.toString("utf8", 5)) as {
    process: { cmd: string; args: string[] };
  };
  // Without `-l`: the profile of this machine is none of a sandbox. Its memory is that of a small one.
  const args = asked.args
    .filter((arg) => arg !== "-l")
    .map((arg) => arg.replace("exec node ", "exec node --max-old-space-size=24 "));
  const child = spawn(asked.cmd, args, { cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  processes.add(child);
  response.writeHead(200, { "content-type": "application/connect+json" });
  response.write(encodeFrame({ event: { start: { pid: child.pid } } }));
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].on("data", (data: Buffer) => {
      const written = response.write(
        encodeFrame({ event: { data: { [stream]: data.toString("base64") } } }),
      );
      if (written) return;
      child[stream].pause();
      response.once("drain", () => child[stream].resume());
    });
  }
  child.once("close", (code, signal) => {
    processes.delete(child);
    if (signal === "SIGKILL") {
      response.destroy();
      return;
    }
    const end =
      signal === null
        ? { ...(code ? { exitCode: code } : {}), exited: true, status: `exit status ${code}` }
        : { exitCode: -1, status: `signal: ${signal === "SIGABRT" ? "aborted" : signal}` };
    response.write(encodeFrame({ event: { end } }));
    response.end(END_OF_STREAM);
  });
}
