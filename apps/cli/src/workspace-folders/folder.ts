import { readdir } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { folderNameOf } from "@parley/core/skill-folders";
import { kindOf, readRegularFile } from "../regular-files.ts";
import { isDeclaration, type Kind, type KindName, type WrittenFiles } from "./kind.ts";
import {
  type Declared,
  type DeclaredWorkspace,
  type Definitions,
  kindNames,
  kinds,
  type WorkspaceDefinition,
} from "./kinds.ts";
import { readSettingsFile, SETTINGS_FILE, writeSettingsFile } from "./settings.ts";
import { type Fault, type ReadFile, refuseFaults } from "./yaml-file.ts";

/** More than a file of an agent may have. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads a workspace's folder. Throws `CommandError`, which names all faults of all its files. */
export async function readWorkspaceFolder(folder: string): Promise<DeclaredWorkspace> {
  const entries = await entriesOf(folder);
  if (!entries.includes(SETTINGS_FILE)) {
    const cure = "create a folder with parley pull, or add an empty file to declare no settings";
    throw new CommandError(`${folder}: has no ${SETTINGS_FILE}: ${cure}`);
  }
  const faults: Fault[] = [];
  const collect = async <T>(
    file: string,
    reading: () => Promise<ReadFile<T>>,
  ): Promise<Declared<T>[]> => {
    const read = await reading().catch((error: unknown): ReadFile<T> => {
      // Of one file: the others may have faults too.
      if (error instanceof CommandError) return { faults: [{ file, message: error.message }] };
      throw error;
    });
    if ("value" in read) return [{ file, definition: read.value }];
    faults.push(...read.faults);
    return [];
  };
  const text = async (file: string): Promise<string> => readText(path.join(folder, file));
  const [settings] = await collect(SETTINGS_FILE, async () =>
    readSettingsFile(await text(SETTINGS_FILE)),
  );
  const readKind = async <K extends KindName>(name: K): Promise<Declared<Definitions[K]>[]> => {
    const kind: Kind<Definitions[K]> = kinds[name];
    if (!entries.includes(kind.folder)) return [];
    const names = await entriesOf(path.join(folder, kind.folder));
    const files = names.map((entry) => `${kind.folder}/${entry}`);
    const declared: Declared<Definitions[K]>[] = [];
    for (const file of files) {
      const entry = { file, place: path.join(folder, file), entries: files, text };
      declared.push(...(await collect(file, async () => kind.read(entry))));
    }
    return declared;
  };
  const agent = await readKind("agent");
  const tool = await readKind("tool");
  const skill = await readKind("skill");
  const schedule = await readKind("schedule");
  const trigger = await readKind("trigger");
  const webhook = await readKind("webhook");
  const things = {
    tool,
    skill,
    function: await readKind("function"),
    agent,
    schedule,
    trigger,
    webhook,
    alert: await readKind("alert"),
    "trace destination": await readKind("trace destination"),
  };
  faults.push(...kindNames.flatMap((name) => findNamesakes(name, things[name])));
  if (settings === undefined || faults.length > 0) throw refuseFaults(folder, faults);
  return { ...settings.definition, things };
}

function findNamesakes<K extends KindName>(
  kindName: K,
  declared: readonly Declared<Definitions[K]>[],
): Fault[] {
  const { nameOf }: Kind<Definitions[K]> = kinds[kindName];
  const seen = new Map<string, string>();
  return declared.flatMap(({ file, definition }): Fault[] => {
    const name = nameOf(definition);
    const other = seen.get(name);
    seen.set(name, other ?? file);
    return other === undefined
      ? []
      : [{ file, message: `${other} also declares a ${kindName} ${name}` }];
  });
}

/** The names in a folder, in order, without hidden ones and texts for readers. */
async function entriesOf(folder: string): Promise<string[]> {
  const kind = await kindOf(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new CommandError(`${folder}: no such folder`);
  });
  if (kind !== "folder") throw new CommandError(`${folder}: is not a folder`);
  return (await readdir(folder)).filter(isDeclaration).toSorted();
}

/** The text of a file, exactly. Throws `CommandError`. */
async function readText(place: string): Promise<string> {
  await kindOf(place);
  const bytes = await readRegularFile(place, { bytesLeft: MAX_BYTES, maxBytes: MAX_BYTES });
  try {
    return new TextDecoder("utf8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError("is not UTF-8 text");
  }
}

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
  await list(SETTINGS_FILE, isDeclaration);
  for (const name of [
    "agent",
    "tool",
    "function",
    "skill",
    "schedule",
    "trigger",
    "webhook",
  ] as const) {
    const { folder: inside, isTaken } = kinds[name];
    await list(inside, isTaken);
  }
  return files;
}

/** The files of a folder, by their paths in it, as those of one thing. */
export interface FolderFiles {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly executables: ReadonlySet<string>;
  readonly forEditors: ReadonlyMap<string, Buffer>;
}

function writeKind<K extends KindName>(name: K, things: readonly Definitions[K][]): WrittenFiles[] {
  const { folder, nameOf, write }: Kind<Definitions[K]> = kinds[name];
  const fileNames = fileNamesOf(things.map(nameOf));
  return things.map((one) => write(one, `${folder}/${fileNames.get(nameOf(one)) ?? ""}`));
}

/** The folder that declares a workspace. Equal workspaces give equal folders. */
export function writeWorkspaceFolder(workspace: WorkspaceDefinition): FolderFiles {
  const settings = { files: { [SETTINGS_FILE]: writeSettingsFile(workspace) } };
  const written: WrittenFiles[] = [
    settings,
    ...kindNames.flatMap((name) => writeKind(name, workspace.things[name])),
  ];
  const bytesOf = (files: WrittenFiles["files"] = {}) =>
    Object.entries(files).map(([file, content]) => [file, Buffer.from(content)] as const);
  const files = written.flatMap((one) => bytesOf(one.files));
  return {
    files: new Map(files.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    executables: new Set(written.flatMap(({ executables = [] }) => executables)),
    forEditors: new Map(written.flatMap((one) => bytesOf(one.forEditors))),
  };
}

/** Names that are devices on some systems. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Names of files for things, by the things' names: lowercase letters, digits and hyphens alone, so that no name
 * leads elsewhere, and each once on every file system. Equal names give equal files.
 */
function fileNamesOf(names: readonly string[]): Map<string, string> {
  const taken = new Set<string>(["readme"]);
  const files = new Map<string, string>();
  // A name that is its own file keeps it, whatever comes before.
  const isOwn = (name: string): boolean => folderNameOf(name) === name;
  const sorted = names.toSorted(
    (one, other) => Number(isOwn(other)) - Number(isOwn(one)) || (one < other ? -1 : 1),
  );
  for (const name of sorted) {
    const plain = folderNameOf(name);
    const base = DEVICE.test(plain) ? `${plain}-1` : plain;
    let file = base;
    for (let count = 2; taken.has(file); count++) file = `${base.slice(0, 58)}-${count}`;
    taken.add(file);
    files.set(name, file);
  }
  return files;
}
