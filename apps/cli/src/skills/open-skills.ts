import { stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { reportLine } from "@parley/command/print";
import { MAX_SKILL_BYTES } from "@parley/schema";
import { readRegularFile } from "../regular-files.ts";
import { fetchRepository } from "./fetch-repository.ts";
import { isGitUrl, parseGitUrl } from "./git-url.ts";
import { readSkillFolders, type SkillFolders } from "./read-skill-folders.ts";
import { readZip } from "./read-zip.ts";

/** Skills to import or to check, and where they are from. */
export interface OpenedSkills extends SkillFolders {
  /** The repository, if its URL is one of the web. */
  readonly repoUrl?: string;
}

/** Reads the skills of a folder, an archive or a repository. Throws `CommandError`. */
export async function openSkills(io: Io, given: string): Promise<OpenedSkills> {
  if (isGitUrl(given)) return readRepository(io, given);
  const stats = await stat(given).catch(() => undefined);
  if (stats === undefined) throw new CommandError(`${given}: no such folder or archive`);
  return stats.isFile() ? readArchive(given) : readSkillFolders(given);
}

async function readRepository(io: Io, given: string): Promise<OpenedSkills> {
  const wanted = parseGitUrl(given);
  reportLine(io, `Fetching ${wanted.url}`);
  await using fetched = await fetchRepository(io, wanted);
  const skills = await readSkillFolders(fetched.place).catch((error: unknown) => {
    const where = wanted.folder === "" ? wanted.url : `${wanted.folder} of ${wanted.url}`;
    // The place is nobody's business, and gone by now.
    if (!(error instanceof CommandError)) throw error;
    const said = error.message.replace(fetched.place, where);
    const isElsewhere = said.endsWith("neither do its folders");
    const cure = isElsewhere ? "; name the folder that does, such as …#main:skills" : "";
    throw new CommandError(said + cure);
  });
  const leftOut = [...skills.leftOut, ...fetched.links];
  const isOfWeb = wanted.url.startsWith("https://");
  return { files: skills.files, leftOut, ...(isOfWeb && { repoUrl: wanted.url }) };
}

/** Archives are of a folder, or of what is in one: skills are wherever there is a SKILL.md. */
async function readArchive(place: string): Promise<OpenedSkills> {
  if (!/\.zip$/i.test(place)) throw new CommandError(`${place}: is neither a folder nor a .zip`);
  const limits = { bytesLeft: 2 * MAX_SKILL_BYTES, maxBytes: 2 * MAX_SKILL_BYTES };
  const files = await readZip(await readRegularFile(path.resolve(place), limits));
  const isHidden = (file: string) => file.split("/").some((name) => /^\.|^__MACOSX$/.test(name));
  const shown = files.filter((file) => !isHidden(file.path));
  const own = path.basename(place).replace(/\.zip$/i, "");
  const isOne = shown.some((file) => file.path === "SKILL.md");
  const named = shown.map((file) => (isOne ? { ...file, path: `${own}/${file.path}` } : file));
  const roots = named
    .filter((file) => file.path.endsWith("/SKILL.md"))
    .map((file) => file.path.slice(0, -"SKILL.md".length));
  if (roots.length === 0) throw new CommandError(`${place}: has no SKILL.md`);
  const isOfSkill = (file: string) => roots.some((root) => file.startsWith(root));
  return {
    files: named.filter((file) => isOfSkill(file.path)),
    leftOut: [
      ...files.map((file) => file.path).filter(isHidden),
      ...named.map((file) => file.path).filter((file) => !isOfSkill(file)),
    ],
  };
}
