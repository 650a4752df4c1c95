import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { ApiSettings } from "@parley/api/config";
import { open } from "../request.ts";
import { root } from "../server.ts";

/** What a process holds. */
export interface Measured {
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly hub: { logs: number; followers: number };
  /** What keeps its event loop alive, counted by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

export interface Log {
  readonly logId: string;
  /** Where its stream is. */
  readonly path: string;
}

/** What the process does when it is told to. */
export interface Calls {
  /** Opens the log of an agent's message that nobody runs. */
  openLog(): Promise<Log>;
  /** Appends one event for each text, and the terminal event if asked, in one transaction. */
  append(input: { logId: string; texts: readonly string[]; end?: boolean }): Promise<void>;
  measure(): Promise<Measured>;
  close(input: { gracePeriodMs: number }): Promise<void>;
}

/** The API in a process of its own, which appends what it is told. */
export interface LogServer extends Calls, AsyncDisposable {
  /** Opens a stream of the server. */
  stream(path: string, options?: { signal?: AbortSignal }): Promise<Response>;
  readonly url: string;
  readonly authorization: string;
}

type Reply = { id: number; result: never; error?: undefined } | { id: number; error: string };

/** Starts the server on a database of its own. */
export async function startLogServer(
  settings: Partial<Record<keyof ApiSettings, number>> = {},
): Promise<LogServer> {
  const flags = ["--expose-gc", "--conditions=@parley/source"];
  const file = path.join(import.meta.dirname, "log-server.ts");
  const child = spawn(process.execPath, [...flags, file, JSON.stringify(settings)], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let lastId = -1;
  const expectReply = () => {
    const reply = Promise.withResolvers<never>();
    waiting.set(++lastId, reply);
    return reply.promise;
  };
  child.on("message", (reply: Reply) => {
    const one = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.error === undefined) one?.resolve(reply.result);
    else one?.reject(new Error(reply.error));
  });
  child.once("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The server ended with ${code}`));
  });
  const { url, secret } = (await expectReply()) as { url: string; secret: string };
  const authorization = `Bearer ${secret}`;
  const call = async (name: keyof Calls, input?: object): Promise<never> => {
    const reply = expectReply();
    child.send({ id: lastId, call: name, input });
    return reply;
  };
  let closing: Promise<void> | undefined;
  const close: Calls["close"] = (input) => (closing ??= call("close", input));
  return {
    url,
    authorization,
    openLog: () => call("openLog"),
    append: (input) => call("append", input),
    measure: () => call("measure"),
    close,
    stream: async (streamPath, { signal } = {}) => {
      const demo = { adminKey: secret } as Parameters<typeof open>[0]["demo"];
      return open({ url, demo }, { path: streamPath, ...(signal && { signal }) });
    },
    [Symbol.asyncDispose]: async () => {
      await close({ gracePeriodMs: 0 });
      await exited;
    },
  };
}
