import { readdir } from "node:fs/promises";
import path from "node:path";
import { isOfFunction } from "../functions/read-function-folder.ts";
import { kindOf } from "../regular-files.ts";
import { SETTINGS_FILE } from "./settings-file.ts";

const isReadme = (name: string): boolean => /^README(?:\..*)?$/i.test(name);
const isHidden = (name: string): boolean => name.startsWith(".");

/**
 * The paths of the files in a folder that declare something: what a read takes, and a write replaces. Throws
 * `CommandError` at symbolic links among them.
 */
export async function listFolderFiles(folder: string): Promise<ReadonlySet<string>> {
  const files = new Set<string>();
  const list = async (inside: string, isTaken: (name: string) => boolean): Promise<void> => {
    const place = path.join(folder, inside);
    const kind = await kindOf(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (kind === undefined) return;
    if (kind === "file") {
      files.add(inside);
      return;
    }
    for (const name of (await readdir(place)).toSorted()) {
      if (isTaken(name)) await list(`${inside}/${name}`, isTaken);
    }
  };
  const isText = (name: string) => !isHidden(name) && !isReadme(name);
  await list(SETTINGS_FILE, isText);
  await list("agents", isText);
  await list("tools", isText);
  await list("functions", isOfFunction);
  // A skill may have a README; hidden files are no part of one.
  await list("skills", (name) => !isHidden(name));
  return files;
}
