import * as z from "zod";
import type { CreatedSandbox } from "./e2b-api.ts";
import { E2bFault, readBounded, refusedBy } from "./e2b-fault.ts";

// A stream of the Connect protocol: each message is a byte of flags, its length in four bytes, and its JSON.

const HEAD_BYTES = 5;
const END_OF_STREAM = 2;

/** One message as it is sent. */
export function encodeFrame(message: object): Buffer<ArrayBuffer> {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** A message of a stream, or what ends it. */
interface Frame {
  readonly isEnd: boolean;
  readonly message: unknown;
}

/**
 * The messages of a stream as they come. Throws a `RangeError` for one that says that it has more bytes than the
 * limit, before it is read, and a `SyntaxError` for one that is not JSON.
 */
async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Frame, void, undefined> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    while (held.length >= HEAD_BYTES) {
      const length = held.readUInt32BE(1);
      if (length > maxBytes) throw new RangeError(`A message of ${length} bytes`);
      const end = HEAD_BYTES + length;
      if (held.length < end) break;
      const message: unknown = JSON.parse(held.toString("utf8", HEAD_BYTES, end) || "{}");
      yield { isEnd: (held[0]! & END_OF_STREAM) !== 0, message };
      held = held.subarray(end);
    }
  }
}

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
