import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Runner } from "./choose-runner.ts";
import { ProgramFailed } from "./refusals.ts";
import { lastLine, spawnOptions } from "./run-program.ts";
import { stopServer } from "./predecessor.ts";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Time between two questions; each costs PostgreSQL a process. */
const LOOK_MS = 2000;
/** Time for an answer; a machine that is merely slow must not restart its database. */
const ANSWER_MS = 10_000;
/** Looks in succession that must find the same. */
const LOOKS = { absent: 2, silent: 3 };
/** Errors of a socket that is removed, or that nobody listens to. A full queue is another one. */
const ABSENT = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK", "ENOTDIR"]);
/** Asks whether the server encrypts, which it answers with one byte before anything else. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

type State = "answers" | keyof typeof LOOKS;

/**
 * Resolves with the reason once PostgreSQL answers no longer at a socket path, or at a port of the loopback:
 * it may run and yet be out of reach, as when a cleaner has removed the socket. Ends without a result when
 * `signal` is aborted.
 */
async function whenUnreachable(
  at: string | number,
  signal: AbortSignal,
): Promise<string | undefined> {
  let last: State = "answers";
  for (let looks = 0; ;) {
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
    const state = signal.aborted ? "answers" : await look(at);
    if (signal.aborted) return undefined;
    looks = state === last ? looks + 1 : 1;
    last = state;
    if (state === "answers" || looks < LOOKS[state]) continue;
    return state === "absent" ? "its socket is gone" : "it does not answer at its socket";
  }
}

async function look(at: string | number): Promise<State> {
  const socket = typeof at === "string" ? connect(at) : connect(at, "127.0.0.1");
  try {
    return await new Promise<State>((resolve) => {
      socket.setTimeout(ANSWER_MS, () => resolve("silent"));
      socket.once("error", ({ code = "" }: NodeJS.ErrnoException) =>
        resolve(ABSENT.has(code) ? "absent" : "silent"),
      );
      socket.once("data", () => resolve("answers"));
      socket.once("close", () => resolve("silent"));
      socket.write(SSL_REQUEST);
    });
  } finally {
    socket.on("error", () => {}).destroy();
  }
}

/** Called with log messages of PostgreSQL, which contain no user data. */
export type Log = (level: "debug" | "info" | "warn" | "error", message: string) => void;

/** The process of a PostgreSQL that takes connections. */
export interface Postmaster {
  /** Resolves with the reason once the process has ended. */
  readonly exited: Promise<string>;
  /** Resolves with the reason once it runs but cannot be reached; with nothing once it has ended. */
  readonly unreachable: Promise<string | undefined>;
  /** Shuts PostgreSQL down and waits for the end of the process. */
  stop(): Promise<void>;
}

interface PostmasterOptions {
  readonly runner: Runner;
  readonly cluster: string;
  /** The working directory. */
  readonly folder: string;
  readonly flags: readonly string[];
  /** Path of its socket, or its port. */
  readonly at: string | number;
  /** Process that the lock file of the cluster names, and that is not a postmaster. */
  readonly mistaken: number | undefined;
  readonly log: Log;
}

/** Time until a stop becomes immediate: the next start then replays the log. */
const STOP_MS = 3000;

/**
 * Becomes PostgreSQL, with a child that stops it when the pipe from Parley ends, because Parley has died. A
 * line on the pipe says that PostgreSQL has already ended. A long shutdown becomes immediate, unless
 * another PostgreSQL has replaced it; then the folder of the socket, its working directory, is removed.
 */
const GUARD = `
( read -r done || {
    kill -INT $$
    sleep 5
    read -r pid < "$0/postmaster.pid" && [ "$pid" = $$ ] && kill -QUIT $$
    folder=$PWD; cd / && rmdir "$folder"
  } ) <&3 3<&- >/dev/null 2>&1 &
exec "$@" 3<&-
`;

/** Starts PostgreSQL and waits until it accepts connections. Throws `ProgramFailed`. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { runner, cluster, folder, flags, at, mistaken, log } = options;
  const { account, programs } = runner;
  const command = [...account.prefix, programs.postgres, "-D", cluster, ...flags];
  const isWindows = process.platform === "win32";
  const { env, ...how } = spawnOptions(account, folder);
  const child = spawn(
    isWindows ? programs.postgres : "/bin/sh",
    isWindows ? command.slice(1) : ["-c", GUARD, cluster, ...command],
    {
      ...how,
      // As pg_ctl sets it, so that a reused process id is not taken for another server.
      env: { ...env, ...(mistaken !== undefined && { PG_GRANDPARENT_PID: String(mistaken) }) },
      // Its own process group does not get Ctrl-C: Parley stops it last.
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    },
  );
  // `stdio` makes both pipes.
  const [, , errors, guard] = child.stdio as unknown as [null, null, Readable, Writable];
  guard.on("error", () => {});
  errors.on("error", () => {});
  const exited = once(child, "exit").then(
    ([code, signal]) => `it ended with ${signal ?? code}`,
    (error: Error) => error.message,
  );
  void exited.then(() => guard.end("\n"));
  let isRunning = false;
  const said: string[] = [];
  const ready = Promise.withResolvers<void>();
  createInterface(errors).on("line", (line) => {
    const [, severity = "", message = line] = /^([A-Z]+): {2}(.*)$/.exec(line) ?? [];
    log(isRunning ? levelOf(severity) : "debug", `PostgreSQL: ${message}`);
    if (!isRunning) said.push(line);
    if (message === "database system is ready to accept connections") ready.resolve();
  });
  child.once("error", ready.reject);
  // `close` comes after all of its output.
  child.once("close", () => ready.reject(new ProgramFailed(lastLine(said.join("\n")))));
  await ready.promise;
  isRunning = true;
  const watching = new AbortController();
  void exited.then(() => watching.abort());
  const unreachable = whenUnreachable(at, watching.signal);
  const stop = async (): Promise<void> => {
    isRunning = false;
    watching.abort();
    // On Windows a signal would kill it.
    const end = async (mode: "fast" | "immediate") =>
      isWindows
        ? stopServer(cluster, runner, { pid: child.pid ?? 0, mode })
        : void child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    const timer = setTimeout(() => void end("immediate"), STOP_MS);
    await end("fast");
    await exited;
    clearTimeout(timer);
  };
  return { exited, unreachable, stop };
}

/** The level of a log line with a severity of PostgreSQL. */
function levelOf(severity: string) {
  if (severity === "PANIC") return "error";
  return severity === "LOG" ? "info" : "warn";
}
