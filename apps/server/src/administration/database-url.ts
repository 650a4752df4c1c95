import { CommandError } from "@parley/command/command-error";
import { readEmbeddedUrl } from "@parley/db/embedded";
import type { Settings } from "../config.ts";

/**
 * The URL of the database of the settings, for `psql`, without its password. Throws `CommandError` for
 * an embedded one on which no server runs.
 */
export async function describeDatabaseUrl(settings: Settings): Promise<string> {
  const { DATABASE_URL, PARLEY_DATA_DIR: directory } = settings;
  if (DATABASE_URL === undefined) {
    const url = await readEmbeddedUrl(directory);
    if (url !== undefined) return url;
    throw new CommandError(
      `No server is running on ${directory}: its database can only be reached while parley serve runs`,
    );
  }
  const url = new URL(DATABASE_URL);
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}
