import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import envPaths from "env-paths";
import * as z from "zod";
import { CommandError } from "../command-error.ts";

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
export const profilesFile = (): string =>
  path.join(envPaths("parley", { suffix: "" }).config, "profiles.json");

/** Reads the profiles; none without a file. Throws `CommandError` where the file is none of ours. */
export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile();
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { profiles: {} };
    throw error;
  }
  const content = Profiles.safeParse(parse(text));
  if (content.success) return content.data;
  throw new CommandError(`${file} holds no profiles: remove it, and run parley login`);
}

/** Writes the profiles, whole or not at all; only their owner may read them. */
export async function writeProfiles(profiles: Profiles): Promise<void> {
  const file = profilesFile();
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
  const missing = name === undefined ? "There is no profile" : `There is no profile ${name}`;
  return new CommandError(
    known === "" ? `${missing}: parley login makes one` : `${missing}: there is ${known}`,
  );
}
