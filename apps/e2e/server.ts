import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Settings as AllSettings } from "@parley/cli";
import { openEmbedded } from "@parley/db";
import { createTemporaryDatabase, type Driver, drivers } from "@parley/db/testing";
import { afterAll, beforeAll, describe } from "vitest";

/** The root of the repository. */
export const root = path.resolve(import.meta.dirname, "../..");

/** Environment variables of a server. */
type ServerSetting = "PARLEY_URL" | "PARLEY_WORKSPACE_ID" | "PARLEY_API_KEY";
export type Settings = Readonly<Partial<Record<keyof AllSettings | ServerSetting, string>>>;

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

/** Where a server keeps its data; it outlives the server, so that another can start on it. */
export interface Place extends AsyncDisposable {
  readonly driver: Driver;
  readonly directory: string;
  /** The PostgreSQL database; none for the embedded one. */
  readonly databaseUrl: string | undefined;
}

/** A process that runs `parley`. */
export interface Program {
  readonly pid: number;
  /** What it has printed so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Resolves with the exit code once the process is gone; null where a signal ended it. */
  readonly exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

/** A `parley serve` that serves. */
export interface Server extends Program, AsyncDisposable {
  readonly url: string;
  readonly demo: Demo;
  readonly place: Place;
  /** Ends the process with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
}

const children = new Set<ChildProcess>();
const killChildren = (): void => {
  for (const child of children) child.kill("SIGKILL");
};
process.on("exit", killChildren);
// How vitest ends a worker whose tests took too long.
process.once("SIGTERM", () => {
  killChildren();
  process.exit();
});

/**
 * Makes a data directory and, for PostgreSQL, a database; both are gone when it is disposed of. The
 * embedded database is there already unless the place is to be bare.
 */
export async function createPlace(driver: Driver, { bare = false } = {}): Promise<Place> {
  const parent = await mkdtemp(path.join(os.tmpdir(), "parley-e2e-"));
  const directory = path.join(parent, "data");
  if (driver === "pglite" && !bare) await copyTemplate(directory);
  const database = driver === "postgres" ? await createTemporaryDatabase() : undefined;
  return {
    driver,
    directory,
    databaseUrl: database?.url,
    [Symbol.asyncDispose]: async () => {
      await database?.drop();
      await rm(parent, { recursive: true, force: true });
    },
  };
}

/** Making an embedded database takes seconds, copying one 0.2 s: the first test run makes it. */
async function copyTemplate(directory: string): Promise<void> {
  const migrations = path.join(root, "packages/db/migrations");
  const hash = createHash("sha256");
  for (const file of (await readdir(migrations)).toSorted()) {
    if (file.endsWith(".sql")) hash.update(await readFile(path.join(migrations, file)));
  }
  const template = path.join(os.tmpdir(), `parley-e2e-${hash.digest("hex").slice(0, 16)}`);
  if (!(await isThere(template))) {
    const draft = `${template}.${randomBytes(6).toString("hex")}`;
    await (await openEmbedded(draft)).close();
    // Another test file may have been faster.
    await rename(draft, template).catch(() => rm(draft, { recursive: true }));
  }
  await cp(template, directory, { recursive: true });
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** How `parley` is run from its source. */
const fromSource = {
  cwd: root,
  main: ["--conditions=@parley/source", "--import", "tsx", "apps/cli/src/main.ts"],
};

/** Starts `parley` with these arguments and, of the environment, nothing but these settings. */
export function startProgram(
  args: readonly string[],
  settings: Settings,
  { cwd, main } = fromSource,
): Program {
  const child = spawn(process.execPath, [...main, ...args], {
    cwd,
    env: settings,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const exited = once(child, "close").then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  return { pid: child.pid ?? 0, output, exited, signal: (name) => void child.kill(name) };
}

const encryptionKey = randomBytes(32).toString("base64");

/** The settings of a server at a place: any free port, no limits that a suite would meet. */
export function settingsFor(place: Place): Settings {
  return {
    PARLEY_PORT: "0",
    PARLEY_DATA_DIR: place.directory,
    PARLEY_LOG_LEVEL: "info",
    PARLEY_ENCRYPTION_KEY: encryptionKey,
    PARLEY_RATE_CREATE_PER_MINUTE: "0",
    PARLEY_RATE_CREATE_PER_HOUR: "0",
    PARLEY_RATE_INVOKE_PER_MINUTE: "0",
    PARLEY_RATE_FAILED_AUTH_PER_MINUTE: "0",
    ...(place.databaseUrl !== undefined && { DATABASE_URL: place.databaseUrl }),
  };
}

/** Starts a server with the demo workspace at a place. Throws what it printed if it does not serve. */
export async function startServer(place: Place, settings: Settings = {}): Promise<Server> {
  const program = startProgram(["serve", "--demo"], { ...settingsFor(place), ...settings });
  const demo = await readDemo(place, program).catch((error: unknown) => {
    program.signal("SIGKILL");
    throw error;
  });
  // Behind a public URL, only the log says where the server itself listens.
  const address = /Server listening at (http:[^"\s]+)/.exec(program.output.stderr)?.[1];
  const kill = async (): Promise<void> => {
    program.signal("SIGKILL");
    await program.exited;
    expectNoSecrets(program, demo);
  };
  return {
    ...program,
    url: address ?? demo.url,
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

/** Throws where a server has logged a key; what it prints to standard output is for its operator. */
function expectNoSecrets({ output }: Program, demo: Demo): void {
  const secrets = [
    demo.adminKey,
    demo.userKey,
    demo.operatorKey,
    encryptionKey,
    "Bearer sk-",
    "sk-(not logged)",
    "sk-not-logged",
  ];
  const line = output.stderr
    .split("\n")
    .find((text) => secrets.some((secret) => text.includes(secret)));
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
  }, 30_000);
}

/** Looks every 20 ms until there is a value, and no longer than `patienceMs`. */
export async function eventually<T>(
  look: () => Promise<{ value?: T; stop?: Error }>,
  patienceMs: number,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { value, stop } = await look();
    if (stop !== undefined) throw stop;
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Nothing came within ${patienceMs} ms`);
    await sleep(20);
  }
}

/** The promise's result, or an error when it takes longer. */
export async function within<T>(patienceMs: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`It took longer than ${patienceMs} ms`)),
    patienceMs,
  );
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

/** Starts one server for the tests of a file or of a `describe`, and stops it behind them. */
export function shareServer(driver: Driver, settings: Settings = {}): () => Server {
  let started: { place: Place; server: Server } | undefined;
  beforeAll(async () => {
    const place = await createPlace(driver);
    started = { place, server: await startServer(place, settings) };
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

/** Runs a suite on each driver; the name of one that cannot run says why. */
export function onEachDriver(tests: (driver: Driver) => void): void {
  for (const { driver, skip, suite } of drivers) {
    describe.skipIf(skip)(`a server ${suite}`, () => {
      tests(driver);
    });
  }
}
