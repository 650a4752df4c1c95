import {
  type DatabaseFindings,
  type DirectoryFindings,
  inspectDatabase,
  inspectDirectory,
} from "@parley/db";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { CommandContext } from "@parley/command/context";
import { environmentForOthers } from "@parley/command/environment";
import type { Probe } from "@parley/command/probe-server";
import type { Settings } from "../config.ts";

/** A server, and a key of it. */
interface Named {
  readonly url: string;
  readonly apiKey: string;
}

/** What the client knows of the server that commands call; the doctor itself calls none. */
export interface CalledServer {
  /** Which server it is. Throws `BadConfiguration`, or `CommandError` if none is named. */
  readonly find: () => Promise<Named>;
  /** What it says of itself without a key. Throws `CommandError` if it does not answer in time. */
  readonly probe: (url: string, timeoutMs: number) => Promise<Probe>;
  /** Whose key it is, in words. Throws `CommandError`. */
  readonly describeKey: (server: Named, timeoutMs: number) => Promise<string>;
}

/** How long one thing may take to answer. */
export const ANSWER_MS = 5000;

/** What several checks look at; each part is looked at once, when it is first asked for. */
export interface Surroundings {
  readonly context: CommandContext;
  readonly settings: Settings;
  /** What is wrong with the settings. */
  readonly faults: readonly string[];
  /** The file of settings, if there is one. */
  readonly file: string | undefined;
  readonly isEmbedded: boolean;
  /** The data directory. Throws what a start on it would. */
  readonly directory: () => Promise<DirectoryFindings>;
  /** The database; undefined for an embedded one on which no server runs. Throws if it cannot be used. */
  readonly database: () => Promise<DatabaseFindings | undefined>;
  /** The server that commands call. Throws if none is named. */
  readonly server: CalledServer["find"];
  /** What that server answers. Throws if it does not. */
  readonly probe: () => Promise<Probe>;
  /** Whose key commands call it with, in words. Throws if that is not known. */
  readonly describeKey: () => Promise<string>;
}

/** What is there, looked at when it is first needed. */
export function lookAround(
  context: CommandContext,
  found: Pick<Surroundings, "settings" | "faults" | "file">,
  called: CalledServer,
): Surroundings {
  const { DATABASE_URL: given, PARLEY_DATA_DIR: directoryName } = found.settings;
  const directory = once(() => inspectDirectory(directoryName));
  const server = once(called.find);
  return {
    ...found,
    context,
    isEmbedded: given === undefined,
    directory,
    database: once(async () => {
      const url = given ?? (await directory()).url;
      return url === undefined ? undefined : inspectDatabase(url, { timeoutMs: ANSWER_MS });
    }),
    server,
    probe: once(async () => called.probe((await server()).url, ANSWER_MS)),
    describeKey: async () => called.describeKey(await server(), ANSWER_MS),
  };
}

function once<T>(look: () => Promise<T>): () => Promise<T> {
  let looked: Promise<T> | undefined;
  return () => (looked ??= look());
}

/** The version that an installed program says; undefined if it does not run. */
export async function versionOf(
  environment: NodeJS.ProcessEnv,
  program: string,
): Promise<string | undefined> {
  return promisify(execFile)(program, ["--version"], {
    timeout: ANSWER_MS,
    env: environmentForOthers(environment),
  }).then(
    ({ stdout }) => /\d[\w.]*/.exec(stdout)?.[0] ?? "of an unknown version",
    () => undefined,
  );
}

/** Other checks say why. */
export const orNothing = async <T>(look: () => Promise<T>): Promise<T | undefined> =>
  look().catch(() => undefined);
