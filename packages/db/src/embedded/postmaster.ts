import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Runner } from "./choose-runner.ts";
import { ProgramFailed } from "./refusals.ts";
import { lastLine, spawnOptions } from "./run-program.ts";
import { stopServer } from "./stop-server.ts";
import { whenUnreachable } from "./watch-socket.ts";

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
