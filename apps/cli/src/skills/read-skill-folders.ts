import { readdir } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { MAX_SKILL_BYTES, MAX_SKILL_FILES } from "@parley/schema";
import { isExecutableFile, kindOf, readRegularFile } from "../regular-files.ts";

interface SkillFolderFile {
  /** Path with slashes, from the skill's folder on. */
  readonly path: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly isExecutable: boolean;
}

/** The files to import, and the names of those that were left out. */
export interface SkillFolders {
  readonly files: readonly SkillFolderFile[];
  readonly leftOut: readonly string[];
}

/**
 * Reads a skill's folder, or a folder of such folders, without files that begin with a dot or belong to
 * no skill. Throws `CommandError` at symbolic links, other special files and limits.
 */
export async function readSkillFolders(folder: string): Promise<SkillFolders> {
  const root = path.resolve(folder);
  const files: SkillFolderFile[] = [];
  const leftOut: string[] = [];
  let bytesLeft = MAX_SKILL_BYTES;

  const readInto = async (name: string, place: string): Promise<void> => {
    const kind = await kindOf(place);
    if (kind === "folder") {
      for (const entry of await namesIn(place, leftOut, name)) {
        await readInto(`${name}/${entry}`, path.join(place, entry));
      }
      return;
    }
    if (files.length >= MAX_SKILL_FILES) {
      throw new CommandError(`${place}: has more than ${MAX_SKILL_FILES} files`);
    }
    const content = await readRegularFile(place, { bytesLeft, maxBytes: MAX_SKILL_BYTES });
    bytesLeft -= content.length;
    files.push({ path: name, content, isExecutable: await isExecutableFile(place) });
  };

  if ((await kindOf(root)) !== "folder") throw new CommandError(`${root}: is not a folder`);
  const names = await namesIn(root, leftOut, ".");
  if (names.includes("SKILL.md")) {
    const name = path.basename(root);
    for (const entry of names) await readInto(`${name}/${entry}`, path.join(root, entry));
    return { files, leftOut };
  }
  for (const name of names) {
    const place = path.join(root, name);
    const isSkill =
      (await kindOf(place)) === "folder" && (await readdir(place)).includes("SKILL.md");
    if (isSkill) await readInto(name, place);
    else leftOut.push(name);
  }
  if (files.length === 0) {
    throw new CommandError(`${root}: has no SKILL.md, and neither do its folders`);
  }
  return { files, leftOut };
}

async function namesIn(folder: string, leftOut: string[], name: string): Promise<string[]> {
  const isHidden = (entry: string) => entry.startsWith(".");
  const names = (await readdir(folder)).toSorted();
  leftOut.push(...names.filter(isHidden).map((entry) => path.posix.join(name, entry)));
  return names.filter((entry) => !isHidden(entry));
}
