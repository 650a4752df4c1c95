import { lstat, mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import { connect } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { editorFiles } from "../functions/editor-files.ts";
import { isWrittenFromSchemas, SCHEMA_FILE } from "../functions/schema-types.ts";
import { FUNCTION_FILE } from "../functions/function-file.ts";
import { isExecutableFile, kindOf, setExecutable } from "../regular-files.ts";
import { confirm } from "../terminal/confirm.ts";
import { withNames } from "./agent-knowledge.ts";
import { type FolderFiles, listFolderFiles, writeWorkspaceFolder } from "./folder.ts";
import type { Read } from "./kind.ts";
import { kindNames, type WorkspaceDefinition, type WorkspaceState } from "./kinds.ts";
import { severalOf } from "./plan.ts";
import { SETTINGS_FILE } from "./settings.ts";
import { readWorkspace } from "./workspace.ts";
import type { Context } from "../connection/context.ts";

interface PullOptions extends ServerOptions {
  readonly force?: true;
  readonly yes?: true;
}

/** Writes the folder that declares a workspace, over what an earlier pull wrote. */
export async function pullFolder(
  context: Context,
  folder: string,
  options: PullOptions,
): Promise<void> {
  const { io } = context;
  const entries = await entriesOf(folder);
  if (entries.length > 0 && !entries.includes(SETTINGS_FILE) && !options.force) {
    const cure = "choose a new folder, or add --force";
    throw new CommandError(
      `${folder}: has ${entries[0]} and was not created by parley pull: ${cure}`,
    );
  }
  const connection = await connect(context, options);
  const state = await readWorkspace(connection, (_kind, one) => !one.isArchived);
  const leftOut = describeLeftOut(state);
  const written = writeWorkspaceFolder(definitionOf(state));
  const { files } = written;
  const change = await compare(folder, written);
  const { added, changed, removed } = change;
  const overwritten = [...changed, ...removed];
  if (!options.json) {
    for (const file of added) printLine(io, `+ ${file}`);
    for (const file of changed) printLine(io, `~ ${file}`);
    for (const file of removed) printLine(io, `- ${file}`);
  }
  if (overwritten.length > 0) {
    const count = `${changed.length} files and remove ${removed.length}`;
    await confirm(io, {
      what: `overwrite ${count} in ${folder}`,
      typed: "yes",
      yes: options.yes,
    });
  }
  await write(folder, { ...written, change });
  if (options.json) printLine(io, JSON.stringify({ workspaceId: state.wId, ...change, leftOut }));
  else {
    const total = [...files.keys()].filter((file) => !added.includes(file)).length - changed.length;
    printLine(
      io,
      `${added.length + changed.length} written, ${removed.length} removed, ${total} unchanged`,
    );
  }
  for (const line of leftOut) reportLine(io, `left out: ${line}`);
}

/** What the folder declares. Throws `CommandError` if names do not tell two things apart. */
function definitionOf(state: WorkspaceState): WorkspaceDefinition {
  for (const kind of kindNames) {
    const active = state.listed[kind].filter((one) => !one.isArchived && one.isBuiltIn !== true);
    for (const [name, found] of Map.groupBy(active, (one) => one.name)) {
      if (found.length > 1) throw new CommandError(severalOf(kind, oneLine(name), found));
    }
  }
  const { settings = {}, read } = state;
  const isAdmin = state.settings !== undefined;
  const spaces = state.spaces.filter((space) => isAdmin && !space.isOpen);
  const definitions = <D>(ofKind: readonly Read<D>[]): D[] =>
    byName(ofKind).map(({ definition }) => definition);
  return {
    settings,
    spaces: byName(spaces).map(({ name, isRestricted }) => ({ name, isRestricted })),
    things: {
      tool: definitions(read.tool),
      skill: definitions(read.skill),
      function: definitions(read.function),
      agent: definitions(read.agent).map((agent) => ({
        ...agent,
        knowledge: withNames(agent.knowledge, state.dataSources),
      })),
      schedule: definitions(read.schedule),
      trigger: definitions(read.trigger),
      webhook: definitions(read.webhook),
      alert: definitions(read.alert),
      "trace destination": definitions(read["trace destination"]),
    },
  };
}

const byName = <T extends { readonly name: string }>(named: readonly T[]): T[] =>
  named.toSorted((one, other) => (one.name < other.name ? -1 : 1));

function describeLeftOut({ listed, settings }: WorkspaceState): string[] {
  const archived = Object.values(listed)
    .flat()
    .filter((one) => one.isArchived).length;
  const builtIn = listed.agent.filter((one) => one.isBuiltIn === true && !one.isArchived);
  return [
    ...(settings === undefined
      ? [
          "the workspace's settings, spaces, webhooks, alerts and trace destinations, and unpublished skills that no agent has, which need an admin key",
        ]
      : []),
    ...(archived > 0 ? [`${archived} archived`] : []),
    ...(builtIn.length > 0
      ? [`built-in agents: ${builtIn.map(({ name }) => oneLine(name)).join(", ")}`]
      : []),
  ];
}

/** Paths in the folder, by what becomes of the files. */
interface FolderChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Whether the mode of a file is kept: that of the files of skills. */
const hasMode = (file: string) => file.startsWith("skills/");

async function compare(
  folder: string,
  { files, executables, forEditors }: FolderFiles,
): Promise<FolderChange> {
  const isOther = async (file: string) =>
    hasMode(file) && (await isExecutableFile(path.join(folder, file))) !== executables.has(file);
  const before = await listFolderFiles(folder);
  const added: string[] = [];
  const changed: string[] = [];
  for (const [file, content] of files) {
    if (isBesideCode(file)) {
      const found = await readFound(path.join(folder, file));
      if (found !== undefined && content.equals(found)) continue;
      await refuseLinks(folder, path.dirname(file));
      (found === undefined ? added : changed).push(file);
    } else if (!before.has(file)) added.push(file);
    else if (!content.equals(await readFile(path.join(folder, file))) || (await isOther(file))) {
      changed.push(file);
    }
  }
  for (const file of forEditors.keys()) {
    if ((await isFile(path.join(folder, file))) === undefined) added.push(file);
  }
  const removed = [...before].filter((file) => !files.has(file));
  const unused = await Promise.all(removed.map(async (file) => findUnused(folder, file)));
  return { added, changed, removed: [...removed, ...unused.flat()] };
}

/** Whether a file comes with the packages of a function: a folder has such files for its tools, whether code needs them or not. */
const isBesideCode = (file: string): boolean =>
  /^functions\/[^/]+\/(?:package\.json$|node_modules\/)/.test(file);

/** The bytes of a file, links followed: packages may be links. */
const readFound = async (place: string): Promise<Buffer | undefined> =>
  (await stat(place).catch(() => undefined))?.isFile() ? readFile(place) : undefined;

/** Throws `CommandError` if a folder of the workspace's is a link, into which nothing is written. */
async function refuseLinks(folder: string, inside: string): Promise<void> {
  const [kind = "", name = "", ...names] = inside.split("/");
  let place = path.join(folder, kind, name);
  for (const one of names) {
    const packages = place;
    place = path.join(place, one);
    const found = await lstat(place).catch(() => undefined);
    if (found === undefined) return;
    if (!found.isSymbolicLink()) continue;
    const why = "is a link, and the workspace has another version of the package";
    throw new CommandError(`${place}: ${why}: remove ${packages}, and pull again`);
  }
}

/** Whether a path is a regular file; undefined if nothing has it. */
const isFile = async (place: string): Promise<boolean | undefined> =>
  (await lstat(place).catch(() => undefined))?.isFile();

/** The files for editors beside a function's definition that were not changed since a pull wrote them. */
async function findUnused(folder: string, file: string): Promise<string[]> {
  if (!file.startsWith("functions/") || path.posix.basename(file) !== FUNCTION_FILE) return [];
  const written = Object.entries(editorFiles).map(
    ([name, text]) => [name, (found: string) => found === text] as const,
  );
  const unused: string[] = [];
  for (const [name, isAsWritten] of [...written, [SCHEMA_FILE, isWrittenFromSchemas] as const]) {
    const beside = path.posix.join(path.posix.dirname(file), name);
    const place = path.join(folder, beside);
    if ((await isFile(place)) === true && isAsWritten(await readFile(place, "utf8"))) {
      unused.push(beside);
    }
  }
  return unused;
}

async function write(
  folder: string,
  { files, executables, forEditors, change }: FolderFiles & { readonly change: FolderChange },
): Promise<void> {
  // First, if the name of a file becomes that of a folder.
  for (const file of change.removed) {
    await rm(path.join(folder, file));
    await removeEmpty(folder, path.dirname(file));
  }
  for (const file of [...change.added, ...change.changed]) {
    await requireFolders(folder, path.dirname(file));
    const place = path.join(folder, file);
    await writeFile(place, files.get(file) ?? forEditors.get(file) ?? "");
    if (hasMode(file)) await setExecutable(place, executables.has(file));
  }
}

/** Makes the folders of a file. Throws `CommandError` at links, which may lead elsewhere. */
async function requireFolders(folder: string, inside: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  let place = folder;
  for (const name of inside.split("/").filter((one) => one !== ".")) {
    place = path.join(place, name);
    await mkdir(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    if ((await kindOf(place)) !== "folder") throw new CommandError(`${place}: is not a folder`);
  }
}

async function removeEmpty(folder: string, inside: string): Promise<void> {
  for (let name = inside; name !== "."; name = path.dirname(name)) {
    const isEmpty = (await readdir(path.join(folder, name))).length === 0;
    if (!isEmpty) return;
    await rmdir(path.join(folder, name));
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") throw new CommandError(`${folder}: is not a folder`);
    throw error;
  }
}
