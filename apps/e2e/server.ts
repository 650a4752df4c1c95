import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { startHostedServer } from "./hosted-servers.ts";
import {
  createPlace,
  encryptionKey,
  type Place,
  type PlaceOptions,
  type Settings,
  settingsFor,
} from "./place.ts";
import { eventually, type Program, type ProgramOptions, startProgram, within } from "./programs.ts";

export { createPlace, type Place, root, type Settings, settingsFor } from "./place.ts";
export { eventually, type Program, startProgram, within } from "./programs.ts";

/** What `demo.json` says. */
export interface Demo {
  readonly url: string;
  readonly workspaceId: string;
  readonly adminKey: string;
  readonly userKey: string;
  readonly operatorKey: string;
  readonly spaceId: string;
  readonly agents: readonly { sId: string; slug: string }[];
  readonly functions: readonly { sId: string; slug: string }[];
  readonly pid: number;
}

/** A server that serves. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly demo: Demo;
  readonly place: Place;
  /** What it has logged so far. */
  readonly output: { readonly stderr: string };
}

/** A `parley serve` that serves. */
export interface ServerProcess extends Server, Omit<Program, "output"> {
  readonly output: Program["output"];
  /** Ends the process with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
}

/** A start takes 3 s, and on a loaded machine ten times that; one that fails is noticed at once. */
const MAX_START_MS = 90_000;

/** Starts a server with the demo workspace at a place. Throws what it printed if it does not serve. */
export async function startServer(
  place: Place,
  settings: Settings = {},
  options: Pick<ProgramOptions, "log" | "main"> = {},
): Promise<ServerProcess> {
  const whole = { ...settingsFor(place), ...settings };
  const program = startProgram(["serve", "--demo"], whole, options);
  const demo = await readDemo(place, program).catch((error: unknown) => {
    program.signal("SIGKILL");
    throw error;
  });
  const kill = async (): Promise<void> => {
    program.signal("SIGKILL");
    await program.exited;
    expectNoSecrets(program.output, demo);
    expectListedErrors(program.output);
  };
  return {
    ...program,
    url: listeningUrl(program.output) ?? demo.url,
    demo,
    place,
    kill,
    [Symbol.asyncDispose]: async () => {
      program.signal("SIGTERM");
      let code: number | null;
      try {
        code = await within(12_000, program.exited);
      } finally {
        await kill();
      }
      if (code !== 0) throw new Error(`The server ended with ${code}:\n${program.output.stderr}`);
    },
  };
}

/** Where a server itself listens: with a public URL, only its log says it. */
function listeningUrl({ stderr }: Server["output"]): string | undefined {
  return /Server listening at (http:[^"\s]+)/.exec(stderr)?.[1];
}

/** Throws if a server has answered an error that the endpoint table does not list. */
function expectListedErrors({ stderr }: Server["output"]): void {
  const line = stderr.split("\n").find((one) => one.includes("An error type is not listed"));
  if (line !== undefined) throw new Error(`The endpoint table is wrong: ${line}`);
}

/** Throws if a server has logged a key; what it prints to standard output is for its operator. */
function expectNoSecrets({ stderr }: Server["output"], demo: Demo): void {
  const secrets = [
    demo.adminKey,
    demo.userKey,
    demo.operatorKey,
    encryptionKey,
    "Bearer sk-",
    "sk-(not logged)",
    "sk-not-logged",
  ];
  const line = stderr.split("\n").find((text) => secrets.some((secret) => text.includes(secret)));
  // The line itself would carry the key on.
  if (line !== undefined) throw new Error(`The server logged a key, ${line.length} characters`);
}

async function readDemo(place: Place, program: Program): Promise<Demo> {
  let exitCode: number | null | undefined;
  void program.exited.then((code) => (exitCode = code));
  const file = path.join(place.directory, "demo.json");
  return eventually(async () => {
    if (exitCode !== undefined) {
      return { stop: new Error(`The server ended with ${exitCode}:\n${program.output.stderr}`) };
    }
    const text = await readFile(file, "utf8").catch(() => "{}");
    const demo = JSON.parse(text) as Partial<Demo>;
    return demo.pid === program.pid ? { value: demo as Demo } : {};
  }, MAX_START_MS);
}

/** Few connections, since each takes PostgreSQL 12 ms to open, and a pool is soon at its bound. */
const hostedPool = { PARLEY_DATABASE_POOL: "5" };

/** Starts a server with the demo workspace in the process that serves this test worker's suites. */
export async function openHostedServer(place: Place, settings: Settings = {}): Promise<Server> {
  const hosted = await startHostedServer({ ...settingsFor(place), ...hostedPool, ...settings });
  const demo = JSON.parse(await readFile(path.join(place.directory, "demo.json"), "utf8")) as Demo;
  const { output } = hosted;
  return {
    url: listeningUrl(output) ?? demo.url,
    demo,
    place,
    output,
    [Symbol.asyncDispose]: async () => {
      await hosted.stop();
      expectNoSecrets(output, demo);
      expectListedErrors(output);
    },
  };
}

interface SharedServer extends PlaceOptions {
  /** Whether the suite reads what belongs to a process: its memory, its metrics, its exit. */
  readonly isAlone?: boolean;
}

/**
 * Starts one server for the tests of a file or of a `describe`, and stops it after them: in a process with
 * others, unless it is embedded or has to be alone.
 */
export function shareServer(
  settings: Settings = {},
  { isAlone = false, ...options }: SharedServer = {},
): () => Server {
  let started: { place: Place; server: Server } | undefined;
  beforeAll(async () => {
    const place = await createPlace({ isPlannedOnce: !isAlone, ...options });
    const start = isAlone || options.isEmbedded === true ? startServer : openHostedServer;
    started = { place, server: await start(place, settings) };
  });
  afterAll(async () => {
    await started?.server[Symbol.asyncDispose]();
    await started?.place[Symbol.asyncDispose]();
  });
  return () => {
    if (started === undefined) throw new Error("The server of this file has not started");
    return started.server;
  };
}

/** The two ways for a server to have its database, for suites to which it matters. */
export const databases = [
  { name: "with a database of its own", isEmbedded: true },
  { name: "with DATABASE_URL", isEmbedded: false },
] as const;
