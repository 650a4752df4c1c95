import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import * as z from "zod";

const Profile = z.object({
  url: z.string(),
  apiKey: z.string(),
  /** None for an operator key. */
  workspaceId: z.string().optional(),
});
/** A server that somebody has logged in to. */
export type Profile = z.infer<typeof Profile>;

const Profiles = z.object({
  current: z.string().optional(),
  profiles: z.record(z.string(), Profile),
});
/** What somebody has logged in to, by the names that they gave. */
export type Profiles = z.infer<typeof Profiles>;

/** The file of the profiles, in the user's configuration directory. */
export const profilesFile = (environment: NodeJS.ProcessEnv): string =>
  path.join(configurationDirectory(environment), "profiles.json");

/** Where the system keeps what users have configured of a program. */
function configurationDirectory({ APPDATA, HOME, XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string {
  const home = HOME || os.homedir();
  switch (process.platform) {
    case "darwin":
      return path.join(home, "Library", "Preferences", "parley");
    case "win32":
      return path.join(
        APPDATA || path.join(os.homedir(), "AppData", "Roaming"),
        "parley",
        "Config",
      );
    default:
      return path.join(XDG_CONFIG_HOME || path.join(home, ".config"), "parley");
  }
}

/** Reads the profiles; none without a file. Throws `CommandError` if the file is none of ours. */
export async function readProfiles(environment: NodeJS.ProcessEnv): Promise<Profiles> {
  const file = profilesFile(environment);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { profiles: {} };
    throw error;
  }
  const content = Profiles.safeParse(parse(text));
  if (content.success) return content.data;
  throw new CommandError(`${file} is not a file of profiles: remove it, and run parley login`);
}

/** Writes the profiles, whole or not at all; only their owner may read them. */
export async function writeProfiles(
  environment: NodeJS.ProcessEnv,
  profiles: Profiles,
): Promise<void> {
  const file = profilesFile(environment);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** There is no profile of that name; says which there are. */
export function unknownProfile(name: string | undefined, profiles: object): CommandError {
  const known = Object.keys(profiles).join(", ");
  const missing = name === undefined ? "No profile is saved" : `No profile named "${name}"`;
  return new CommandError(
    known === "" ? `${missing}: create one with parley login` : `${missing}. Available: ${known}`,
  );
}
