import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer } from "node:net";
import { expect } from "vitest";
import { builtFile } from "../programs.ts";
import type { Ran } from "./run-cli.ts";
import { openUser } from "./user.ts";

/** What a check of the doctor has found. */
export interface Finding {
  readonly level: "ok" | "warn" | "fail";
  readonly what: string;
  readonly finding: string;
  readonly cure?: string;
}

type Environment = Readonly<Record<string, string>>;

/** Runs the doctor of a user without settings but these. What it finds bad has its cure, whatever it is. */
export async function examine(settings: Environment = {}) {
  const { home, run } = await openUser();
  return readReport(await run(["doctor", "--json"], "", settings), home);
}

/** The same of several users at once, who share a home: nothing is written there. */
export async function examineEach(each: readonly Environment[]) {
  const { home, run } = await openUser();
  return Promise.all(
    each.map(async (settings) => readReport(await run(["doctor", "--json"], "", settings), home)),
  );
}

/** The same of a process of its own, from the build. */
export async function examineProcess(settings: Environment) {
  const { home, start } = await openUser();
  const { exited, output } = start(["doctor", "--json"], "", settings);
  return readReport({ code: await exited, ...output }, home);
}

function readReport({ code, stdout, stderr }: Ran, home: string) {
  expect(stderr).toBe("");
  const { checks } = JSON.parse(stdout) as { checks: Finding[] };
  expect(code).toBe(checks.some(({ level }) => level === "fail") ? 1 : 0);
  for (const { level, cure = "" } of checks) expect(cure !== "").toBe(level !== "ok");
  return { stdout, home, checks, of: (what: string) => checks.filter((one) => one.what === what) };
}

/** The same of a process with so few file descriptors. */
export async function examineWithFiles(most: number): Promise<readonly Finding[]> {
  const script = `ulimit -n ${most}; exec "$@"`;
  const args = [process.execPath, builtFile("parley.js"), "doctor", "--json"];
  const child = spawn("/bin/sh", ["-c", script, "sh", ...args], { env: {}, cwd: "/" });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  await once(child, "close");
  return (JSON.parse(stdout) as { checks: Finding[] }).checks;
}

/** A program that has a port of the loopback; by default it never answers. */
export async function takePort(
  answer?: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const sockets = new Set<{ destroy(): void }>();
  const server = answer === undefined ? createServer() : createHttpServer(answer);
  server.on("connection", (socket: { destroy(): void }) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A way to a server that changes what it says of itself, or says less. */
export async function startChangingProxy(
  target: string,
  change: {
    readonly date?: Date;
    readonly ready?: object;
    readonly status?: number;
    /** A path that it never answers. */
    readonly silentAt?: string;
  },
) {
  return takePort((request, response) => {
    if (request.url === change.silentAt) return;
    void (async () => {
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? "GET",
        headers: { authorization: request.headers.authorization ?? "" },
      });
      const isReady = request.url === "/readyz";
      const body = isReady && change.ready ? JSON.stringify(change.ready) : await answer.text();
      if (change.date) response.sendDate = false;
      response.writeHead(isReady ? (change.status ?? answer.status) : answer.status, {
        "content-type": answer.headers.get("content-type") ?? "",
        ...(change.date && { date: change.date.toUTCString() }),
      });
      response.end(body);
    })();
  });
}
