import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { MAX_DOCUMENT_CHARACTERS } from "@parley/schema";
import { readRegularFile } from "../regular-files.ts";

/** Types of the files that are documents, by their extensions. */
const types: ReadonlyMap<string, string> = new Map([
  [".md", "text/markdown"],
  [".markdown", "text/markdown"],
  [".txt", "text/plain"],
  [".rst", "text/plain"],
  [".adoc", "text/plain"],
  [".csv", "text/csv"],
  [".json", "application/json"],
  [".yaml", "application/yaml"],
  [".yml", "application/yaml"],
]);

/** Files of a folder that are read, and characters of a path, which is the id of a document. */
const MAX_FILES = 100_000;
const MAX_PATH = 255;
const MAX_TITLE = 512;
const MAX_FOLDERS = 31;
const MAX_FILE_BYTES = 4 * MAX_DOCUMENT_CHARACTERS;

/** A file of a folder as the document that it becomes. */
export interface FolderDocument {
  /** Its path in the folder, with slashes. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly mimeType: string;
  /** Its own id, and its folders from the inside out. */
  readonly parents: readonly string[];
  /** SHA-256 of the text. */
  readonly hash: string;
}

/** A file that cannot be a document. */
interface UnreadableFile {
  readonly id: string;
  readonly fault: string;
}

/** The paths of the text files of a folder, in order; hidden ones, links and `node_modules` are left out. */
export async function listDocuments(folder: string): Promise<string[]> {
  const ids: string[] = [];
  const pending = [""];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    // oxlint-disable-next-line no-await-in-loop -- a folder at a time
    const entries = await readdir(path.join(folder, place), { withFileTypes: true });
    for (const entry of entries.filter(isRead)) {
      const id = place === "" ? entry.name : `${place}/${entry.name}`;
      if (entry.isDirectory()) pending.push(id);
      else if (entry.isFile() && types.has(extensionOf(id))) ids.push(id);
    }
    if (ids.length > MAX_FILES) {
      throw new CommandError(`${folder}: has more than ${MAX_FILES} text files`);
    }
  }
  return ids.toSorted();
}

const isRead = ({ name }: Dirent): boolean => !name.startsWith(".") && name !== "node_modules";
const extensionOf = (id: string): string => path.extname(id).toLowerCase();

/** Reads a file as a document, or says why it cannot be one. */
export async function readDocument(
  folder: string,
  id: string,
): Promise<FolderDocument | UnreadableFile> {
  if (id.length > MAX_PATH) return { id, fault: `the path is longer than ${MAX_PATH} characters` };
  const budget = { bytesLeft: MAX_FILE_BYTES, maxBytes: MAX_FILE_BYTES };
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(path.join(folder, id), budget);
  } catch (error) {
    return { id, fault: error instanceof Error ? error.message : String(error) };
  }
  const text = decode(bytes);
  if (text === undefined) return { id, fault: "is not text in UTF-8" };
  if (text.length > MAX_DOCUMENT_CHARACTERS) {
    return { id, fault: `has more than ${MAX_DOCUMENT_CHARACTERS} characters` };
  }
  const folders = id.split("/").slice(0, -1);
  const around = folders.map((_, index) => folders.slice(0, index + 1).join("/")).toReversed();
  return {
    id,
    title: titleOf(id, text),
    text,
    mimeType: types.get(extensionOf(id)) ?? "text/plain",
    parents: [id, ...around.slice(0, MAX_FOLDERS)],
    hash: createHash("sha256").update(text).digest("hex"),
  };
}

function decode(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The first heading of a Markdown file; else the name of the file. */
function titleOf(id: string, text: string): string {
  const isMarkdown = types.get(extensionOf(id)) === "text/markdown";
  const heading = isMarkdown ? /^# +(.+?)\s*#*\s*$/m.exec(text)?.[1] : undefined;
  return (heading ?? path.posix.basename(id)).slice(0, MAX_TITLE).toWellFormed();
}
