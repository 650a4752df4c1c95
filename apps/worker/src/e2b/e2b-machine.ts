import * as z from "zod";
import { encodeFrame, readFrames } from "./connect-frames.ts";
import type { CreatedSandbox } from "./e2b-api.ts";
import { E2bFault, refusedBy } from "./e2b-fault.ts";
import { readBounded } from "./read-bounded.ts";

/** What a process in a sandbox says; `ended` is the last. */
export type ProcessEvent =
  | { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly bytes: Buffer }
  | {
      readonly type: "ended";
      readonly exitCode: number;
      /** As in `exit status 1`, or `signal: killed`. */
      readonly status: string;
    };

/** Of a message of a process, which sends what it prints in pieces of some kilobytes. */
const MAX_FRAME_BYTES = 4_194_304;
/** A process that is silent for longer sends a sign of life: the HTTP client gives up after 300 s. */
const KEEPALIVE_SECONDS = 50;
const USER = "user";

const Base64 = z.string().transform((text) => Buffer.from(text, "base64"));
/** A message without a member has its zero. */
const Message = z.object({
  event: z
    .object({
      data: z.object({ stdout: Base64.optional(), stderr: Base64.optional() }).optional(),
      end: z
        .object({ exitCode: z.int().default(0), status: z.string().max(1000).default("") })
        .optional(),
    })
    .optional(),
});

/** The files and processes of a sandbox. Its functions throw `E2bFault`, or what the signal aborted with. */
export function openMachine({ url, headers }: CreatedSandbox, signal: AbortSignal) {
  const base = url.replace(/\/+$/, "");
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const all = { ...headers, ...(init.headers as Record<string, string>) };
    try {
      return await fetch(`${base}${path}`, { ...init, headers: all, redirect: "error", signal });
    } catch (cause) {
      signal.throwIfAborted();
      throw gone(cause);
    }
  };
  return {
    /** Writes files into the home of its user. */
    async write(files: Readonly<Record<string, string>>): Promise<void> {
      const body = new FormData();
      for (const [name, text] of Object.entries(files)) body.append("file", new Blob([text]), name);
      const response = await ask(`/files?username=${USER}`, { method: "POST", body });
      await response.body?.cancel();
      if (!response.ok) throw refusedBy("an upload", response);
    },

    /** The text of a file in that home; undefined if there is none, null if it has too many bytes. */
    async read(name: string, maxBytes: number): Promise<string | null | undefined> {
      const response = await ask(`/files?username=${USER}&path=${name}`, { method: "GET" });
      if (response.ok) {
        try {
          return (await readBounded(response, maxBytes)) ?? null;
        } catch (cause) {
          signal.throwIfAborted();
          throw gone(cause);
        }
      }
      await response.body?.cancel();
      if (response.status === 404) return undefined;
      throw refusedBy("a download", response);
    },

    /** Runs a command in that home, and gives what it says. */
    async *run(command: string): AsyncGenerator<ProcessEvent, void, undefined> {
      const response = await ask("/process.Process/Start", {
        method: "POST",
        headers: {
          "content-type": "application/connect+json",
          "connect-protocol-version": "1",
          "keepalive-ping-interval": String(KEEPALIVE_SECONDS),
          authorization: `Basic ${Buffer.from(`${USER}:`).toString("base64")}`,
        },
        body: encodeFrame({
          process: { cmd: "/bin/bash", args: ["-l", "-c", command], envs: {} },
          stdin: false,
        }),
      });
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        throw refusedBy("a process", response);
      }
      try {
        for await (const { isEnd, message } of readFrames(response.body, MAX_FRAME_BYTES)) {
          if (isEnd) break;
          const { data, end } = Message.parse(message).event ?? {};
          if (data?.stdout) yield { type: "output", stream: "stdout", bytes: data.stdout };
          if (data?.stderr) yield { type: "output", stream: "stderr", bytes: data.stderr };
          if (end === undefined) continue;
          yield { type: "ended", ...end };
          return;
        }
      } catch (cause) {
        signal.throwIfAborted();
        throw gone(cause);
      }
      throw gone(undefined);
    },
  };
}

function gone(cause: unknown): E2bFault {
  const message = "The sandbox of E2B ended before the function did";
  return new E2bFault({ code: "invocation_failed", message }, { cause });
}
