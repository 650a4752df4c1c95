import { spawn } from "node:child_process";
import { createFrameReader, encodeFrame, type Frame } from "../child/frames.ts";
import type { FromChild, GuestFailure, ToChild } from "../child/messages.ts";
import type { Confinement } from "../confinement.ts";
import type { KillReason } from "../contract.ts";
import { innermostOf } from "./proc.ts";
import { lowerPriority, type Target } from "./watch.ts";
import * as z from "zod";

const failures: readonly GuestFailure[] = [
  "threw",
  "import_failed",
  "bad_return",
  "output_too_large",
  "log_too_large",
  "cpu_exceeded",
  "out_of_memory",
];

const Message: z.ZodType<FromChild> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("log"), stream: z.enum(["stdout", "stderr"]), text: z.string() }),
  // JSON has no NaN: it arrives as null.
  z.object({
    type: z.literal("progress"),
    fraction: z
      .number()
      .nullable()
      .transform((value) => value ?? 0),
    label: z.string(),
  }),
  z.object({ type: z.literal("dropped"), lines: z.int().min(0), reports: z.int().min(0) }),
  z.object({
    type: z.literal("fetch"),
    id: z.int(),
    request: z.object({
      url: z.string(),
      method: z.string(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      redirect: z.enum(["follow", "manual"]),
      hasBody: z.boolean(),
    }),
  }),
  z.object({ type: z.literal("parked") }),
  z.object({ type: z.literal("due") }),
  z.object({ type: z.literal("returned") }),
  z.object({
    type: z.literal("failed"),
    code: z.enum(failures),
    message: z.string(),
    stack: z.string(),
    reason: z.string(),
  }),
]);

/** A message of a child as what it may be: the process could have been taken over. Throws for anything else. */
const checkMessage = (message: unknown): FromChild => Message.parse(message);

/** A process that runs code. */
export interface Child extends Target {
  /** The workspace that it serves, once it serves one. */
  workspaceId: number | undefined;
  /** The process of the code itself, which a wrapper may have started. */
  readonly pid: number;
  /** Why it was killed, if it was. */
  readonly killed: KillReason | undefined;
  /** Whether it used so much that it runs after everything else; it is not used again. */
  lowered: boolean;
  send(message: ToChild, body?: Uint8Array): void;
  /** The next frame; undefined when there will be none. A frame that may not be ends the process. */
  next(maxBytes: number): Promise<Frame<FromChild> | undefined>;
  kill(reason: KillReason): void;
  /** Stops the process where it is, until `go`. */
  stop(): void;
  go(): void;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
}

const MAX_FIRST_FRAME_BYTES = 1024;
/** How long a process may take until it is ready. */
export const START_MS = 10_000;
/** Requests come first, and untrusted work that takes long comes last. */
const START_PRIORITY = 5;

/** Starts a process with an empty environment; it is usable when its first frame, `ready`, has come. */
export function startChild({ command, arguments: given, boundary, user }: Confinement): Child {
  const process = spawn(command, given, {
    ...user,
    env: {},
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const gone = new Promise<void>((resolve) => {
    process.once("close", resolve);
    process.once("error", () => resolve());
  });
  // Writing to a process that has gone fails; that it has is known otherwise.
  process.stdin.on("error", () => {});
  let killed: KillReason | undefined;
  let innermost: number | undefined;
  let maxBytes = 0;
  const read = createFrameReader<unknown>(() => maxBytes);
  const kill = (reason: KillReason): void => {
    killed ??= reason;
    process.kill("SIGKILL");
  };
  const pid = (): number => {
    const { pid: outermost = -1 } = process;
    innermost ??= boundary === "namespace" ? innermostOf(outermost) : outermost;
    return innermost;
  };
  const signal = (name: "SIGSTOP" | "SIGCONT"): void => {
    if (pid() > 0 && process.exitCode === null && process.signalCode === null) {
      signalTo(pid(), name);
    }
  };
  const frames = (async function* () {
    try {
      for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
        for (const { message, body } of read(chunk)) yield { message: checkMessage(message), body };
      }
    } catch {
      kill("broken");
    }
  })();
  lowerPriority(process.pid, START_PRIORITY);
  return {
    workspaceId: undefined,
    lowered: false,
    get pid() {
      return pid();
    },
    get killed() {
      return killed;
    },
    send: (message, body) => void process.stdin.write(encodeFrame(message, body)),
    next: async (max) => {
      maxBytes = max;
      const next = await frames.next();
      return next.done === true ? undefined : next.value;
    },
    kill,
    stop: () => signal("SIGSTOP"),
    go: () => signal("SIGCONT"),
    gone,
  };
}

/** Resolves when a process can take a program. Throws if it does not start. */
export async function awaitReady(child: Child): Promise<void> {
  const timer = setTimeout(() => child.kill("broken"), START_MS);
  const frame = await child.next(MAX_FIRST_FRAME_BYTES);
  clearTimeout(timer);
  if (frame?.message.type !== "ready") throw new Error("A process of the sandbox did not start");
}

function signalTo(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
