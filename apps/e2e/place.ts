import { createHash, randomBytes } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openEmbedded } from "@parley/db";
import { type CloneOptions, createTemporaryDatabase } from "@parley/db/testing";
import type { Settings as AllSettings } from "@parley/server";

/** The root of the repository. */
export const root = path.resolve(import.meta.dirname, "../..");

/** Environment variables of a server. */
type ServerSetting = "PARLEY_URL" | "PARLEY_WORKSPACE" | "PARLEY_API_KEY" | "PARLEY_PROFILE";
export type Settings = Readonly<Partial<Record<keyof AllSettings | ServerSetting, string>>>;

/** Where a server keeps its data; it outlives the server, so that another can start on it. */
export interface Place extends AsyncDisposable {
  readonly directory: string;
  /** The database on the PostgreSQL of the run; none if the server starts its own. */
  readonly databaseUrl: string | undefined;
}

export interface PlaceOptions extends CloneOptions {
  /** Whether the server starts a PostgreSQL of its own, as one without any settings does. */
  readonly isEmbedded?: boolean;
  /** Whether the server makes its directory and its database itself. */
  readonly isBare?: boolean;
}

/**
 * Names a data directory and makes a migrated database: on the PostgreSQL of the run, or an embedded one
 * in the directory. Both are gone when the place is disposed of.
 */
export async function createPlace({
  isEmbedded = false,
  isBare = false,
  ...options
}: PlaceOptions = {}): Promise<Place> {
  const parent = await mkdtemp(path.join(os.tmpdir(), "parley-e2e-"));
  const directory = path.join(parent, "data");
  if (isEmbedded && !isBare) await copyTemplate(directory);
  const database = isEmbedded ? undefined : await createTemporaryDatabase({ isBare, ...options });
  return {
    directory,
    databaseUrl: database?.url,
    [Symbol.asyncDispose]: async () => {
      await database?.drop();
      // The database of a server that was killed ends a moment after it, and writes until then.
      await rm(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/** Making an embedded database takes 2 s, copying one 0.2 s: the first test run makes it. */
async function copyTemplate(directory: string): Promise<void> {
  const migrations = path.join(root, "packages/db/migrations");
  const hash = createHash("sha256");
  for (const file of (await readdir(migrations)).toSorted()) {
    if (file.endsWith(".sql")) hash.update(await readFile(path.join(migrations, file)));
  }
  const template = path.join(os.tmpdir(), `parley-e2e-18-${hash.digest("hex").slice(0, 16)}`);
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

/** The encryption key of every server of a test. */
export const encryptionKey = randomBytes(32).toString("base64");

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
