import { isDeepStrictEqual } from "node:util";
import { checkFiles } from "@parley/core/skill-folders";
import { folderKind, isPackageFile, ownFilesOf, sourceFileOf } from "@parley/schema";
import type * as z from "zod";
import { FUNCTION_FILE, FunctionFile } from "./function-file.ts";
import { type FunctionFolder, isOfFunction } from "./read-function-folder.ts";
import { PACKAGE_FILE } from "./read-packages.ts";

/** The files of a function's folder, by their paths: what a read of the folder gives is this function. */
export function writeFunctionFolder({
  slug,
  files,
  definition,
}: FunctionFolder): Record<string, string> {
  const { program, ...members } = definition;
  const json = (more: Partial<z.input<typeof FunctionFile>>) => {
    const defaults: Readonly<Record<string, unknown>> = FunctionFile.parse({ slug: "x" });
    const told = Object.entries({ slug, ...members, ...more }).filter(
      ([name, value]) => value !== undefined && !isDeepStrictEqual(value, defaults[name]),
    );
    return `${JSON.stringify(Object.fromEntries(told), null, 2)}\n`;
  };
  const file = sourceFileOf(program);
  if (file !== undefined && "language" in program) {
    const { source, ...rest } = program;
    if (!canBeFiles({ source })) return { [FUNCTION_FILE]: json({ program }) };
    return { [FUNCTION_FILE]: json({ program: rest }), [file]: source };
  }
  if (program.type !== folderKind || !canBeFiles(files)) {
    return { [FUNCTION_FILE]: json({ program }) };
  }
  const { type: _type, source: _source, ...rest } = program;
  return { [FUNCTION_FILE]: json(rest), ...files };
}

/** Whether a read of a folder finds these files again, on any file system. */
function canBeFiles(files: Readonly<Record<string, string>>): boolean {
  const names = [...Object.keys(files), FUNCTION_FILE];
  const named = names.map((path) => ({ path, bytes: new Uint8Array() }));
  return (
    checkFiles(named).length === 0 &&
    Object.keys(files).every((name) => isRead(name, files)) &&
    // A mark at the start is not part of a text that is read.
    Object.values(ownFilesOf(files)).every((text) => !text.startsWith("\ufeff"))
  );
}

/** Whether a read of a folder takes a file: those of packages, and `package.json` if there are any. */
function isRead(name: string, files: Readonly<Record<string, string>>): boolean {
  if (isPackageFile(name)) return true;
  if (name === PACKAGE_FILE) return Object.keys(files).some(isPackageFile);
  return name.split("/").every(isOfFunction);
}
