import { randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { writePrivateFile } from "@parley/command/write-private-file";
import { ENCRYPTION_KEY_BYTES } from "@parley/core";
import { unusable } from "@parley/db";
import { EncryptionKeys, type Settings } from "../config.ts";

type KeySettings = Pick<Settings, "DATABASE_URL" | "PARLEY_DATA_DIR"> & {
  readonly PARLEY_ENCRYPTION_KEY?: readonly Buffer[] | undefined;
};

/** The keys of a server, the newest first. */
interface FoundKeys {
  readonly keys: readonly Buffer[];
  /** The file that some of them are from. */
  readonly file: string | undefined;
}

/** The file of the key that an embedded server makes for itself, in the form of the setting. */
export const encryptionKeyFile = (directory: string): string =>
  path.join(directory, "encryption.key");

const GROUP_AND_OTHERS = 0o077;

/**
 * The keys that decrypt the secrets of a server: those of the settings, then those of its data directory if its
 * database is embedded. Throws `CommandError` for a file that is damaged, or that other users can read.
 */
export async function readEncryptionKeys(settings: KeySettings): Promise<FoundKeys> {
  const { DATABASE_URL, PARLEY_DATA_DIR, PARLEY_ENCRYPTION_KEY: keys = [] } = settings;
  const file = encryptionKeyFile(PARLEY_DATA_DIR);
  const ofFile = DATABASE_URL === undefined ? await readKeyFile(file) : undefined;
  if (ofFile === undefined) return { keys, file: undefined };
  return { keys: [...keys, ...ofFile], file };
}

/**
 * The same for a server that starts. An embedded one without a key makes one, and `onCreated` is called with its
 * file; the lock of the directory must be held. Throws `DirectoryUnusable` if the file cannot be written.
 */
export async function ensureEncryptionKeys(
  settings: KeySettings,
  onCreated: (file: string) => void,
): Promise<readonly Buffer[]> {
  const { keys } = await readEncryptionKeys(settings);
  if (keys.length > 0 || settings.DATABASE_URL !== undefined) return keys;
  const key = randomBytes(ENCRYPTION_KEY_BYTES);
  const { PARLEY_DATA_DIR: directory } = settings;
  const file = encryptionKeyFile(directory);
  try {
    await writePrivateFile(file, `${key.toString("base64")}\n`);
  } catch (error) {
    throw unusable(directory, error);
  }
  onCreated(file);
  return [key];
}

/** The keys of a file; undefined if it does not exist. */
async function readKeyFile(file: string): Promise<readonly Buffer[] | undefined> {
  const content = await readPrivateFile(file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  });
  if (content === undefined) return undefined;
  const { data } = EncryptionKeys.safeParse(content.trim());
  if (data !== undefined) return data;
  throw new CommandError(
    `${file} is damaged, which is needed to decrypt stored secrets: restore it from a backup, or remove it to get ` +
      "a new key and store the secrets again",
  );
}

async function readPrivateFile(file: string): Promise<string> {
  await using opened = await open(file);
  const { mode } = await opened.stat();
  // Windows has no such modes.
  if (process.platform !== "win32" && (mode & GROUP_AND_OTHERS) !== 0) {
    throw new CommandError(
      `${file} encrypts stored secrets, and other users can read it: close it with chmod 600`,
    );
  }
  return opened.readFile("utf8");
}
