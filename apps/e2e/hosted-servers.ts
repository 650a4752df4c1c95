import { type ChildProcess, fork } from "node:child_process";
import type { Settings } from "./place.ts";
import { builtFile, compileCache, endWithThisProcess } from "./programs.ts";

/** Starts a server with settings, or stops the one that has the id. */
export interface HostRequest {
  readonly id: number;
  readonly settings?: Settings;
}

/** What a server logs, and that a request is done or has failed. */
export type HostAnswer =
  | { readonly id: number; readonly logged: string }
  | { readonly id: number; readonly done: true }
  | { readonly id: number; readonly error: string };

/** A server that shares a process with others. */
export interface HostedServer {
  readonly output: { readonly stderr: string };
  stop(): Promise<void>;
}

interface Host {
  start(settings: Settings): Promise<HostedServer>;
}

let host: Host | undefined;

/** Starts a server in the process that serves this test worker's suites. */
export async function startHostedServer(settings: Settings): Promise<HostedServer> {
  host ??= startHost();
  return host.start(settings);
}

function startHost(): Host {
  const child = fork(builtFile("host.js"), { env: compileCache(), execArgv: [] });
  endWithThisProcess(child);
  // The worker ends when its tests have.
  child.unref();
  child.channel?.unref();
  const outputs = new Map<number, { stderr: string }>();
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  child.on("message", (answer: HostAnswer) => {
    if ("logged" in answer) {
      const output = outputs.get(answer.id);
      if (output !== undefined) output.stderr += answer.logged;
    } else if ("error" in answer) waiting.get(answer.id)?.reject(new Error(answer.error));
    else waiting.get(answer.id)?.resolve();
  });
  child.once("exit", (code) => {
    host = undefined;
    for (const { reject } of waiting.values()) {
      reject(new Error(`The process of the servers ended with ${code}`));
    }
  });
  let lastId = 0;
  return {
    start: async (settings) => {
      const id = ++lastId;
      const output = { stderr: "" };
      outputs.set(id, output);
      await request(child, waiting, { id, settings });
      return {
        output,
        stop: async () => {
          await request(child, waiting, { id });
          outputs.delete(id);
        },
      };
    },
  };
}

async function request(
  child: ChildProcess,
  waiting: Map<number, PromiseWithResolvers<void>>,
  message: HostRequest,
): Promise<void> {
  const answered = Promise.withResolvers<void>();
  waiting.set(message.id, answered);
  // A promise alone does not hold the process that awaits it.
  child.channel?.ref();
  child.send(message);
  await answered.promise.finally(() => {
    waiting.delete(message.id);
    child.channel?.unref();
  });
}
