import { lstat } from "node:fs/promises";
import path from "node:path";
import { MAX_SOURCE_BYTES } from "@parley/schema";
import { readRegularFile } from "../regular-files.ts";
import { describeBundleFaults } from "./code-faults.ts";
import { readJson } from "./parse-file.ts";

/** What names the packages of a folder, and is part of a function that imports one. */
export const PACKAGE_FILE = "package.json";

type Files = Readonly<Record<string, string>>;

/**
 * The files of npm packages that the code of a folder imports, with its `package.json`: none if it imports no package.
 * Throws `CommandError`, which names what cannot be part of a function.
 */
export async function readPackages(folder: string, own: Files): Promise<Files> {
  if (!(await exists(path.join(folder, "node_modules")))) return {};
  const { collectPackages } = await import("@parley/sandbox");
  const found = await collectPackages(own, folder);
  if ("faults" in found) throw describeBundleFaults(found.faults, own);
  if (Object.keys(found.packages).length === 0) return {};
  const place = path.join(folder, PACKAGE_FILE);
  if (!(await exists(place))) return found.packages;
  const bytes = await readRegularFile(place, {
    bytesLeft: MAX_SOURCE_BYTES,
    maxBytes: MAX_SOURCE_BYTES,
  });
  const json = new TextDecoder().decode(bytes);
  readJson(json, place);
  return { [PACKAGE_FILE]: json, ...found.packages };
}

const exists = async (place: string): Promise<boolean> =>
  (await lstat(place).catch(() => undefined)) !== undefined;
