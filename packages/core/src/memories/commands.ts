/** The commands of the tool `memory` (`memory_20250818`), with the texts that models are trained on. */
import { MEMORY_BOUNDS, type MemoryCommand } from "@parley/schema";
import { MemoryRefusal, type MemoryPath, readPath, ROOT } from "./paths.ts";
import { childrenOf, isDirectory, type MemoryTree, type RememberedFile } from "./trees.ts";
import { describeDirectory, describeFile, describeEdit } from "./texts.ts";

/** What a command changes in one scope. */
export type MemoryChange =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "remove"; readonly paths: readonly string[] }
  | {
      readonly kind: "move";
      readonly moves: readonly { readonly from: string; readonly to: string }[];
    };

/** What a command answers, and what it is to change. */
export interface CommandResult {
  readonly output: string;
  readonly mount?: string;
  readonly change?: MemoryChange;
}

/** The file whose text a command needs; undefined for one that needs none. */
export function neededFile(command: MemoryCommand): MemoryPath | undefined {
  if (
    command.command === "view" ||
    command.command === "str_replace" ||
    command.command === "insert"
  ) {
    return readPath(command.path);
  }
  return undefined;
}

/** Carries out a command on what is mounted. Throws `MemoryRefusal` with the text that the model is given. */
export function carryOut(
  mounts: ReadonlyMap<string, MemoryTree>,
  command: MemoryCommand,
): CommandResult {
  switch (command.command) {
    case "view":
      return view(mounts, command);
    case "create":
      return create(mounts, command);
    case "str_replace":
      return replaceText(mounts, command);
    case "insert":
      return insertText(mounts, command);
    case "delete":
      return remove(mounts, command);
    case "rename":
      return rename(mounts, command);
    default:
      return command satisfies never;
  }
}

type Of<Name extends MemoryCommand["command"]> = Extract<MemoryCommand, { command: Name }>;
type Mounts = ReadonlyMap<string, MemoryTree>;

const notFound = (path: string) =>
  new MemoryRefusal(`The path ${path} does not exist. Please provide a valid path.`);

function view(mounts: Mounts, command: Of<"view">): CommandResult {
  const path = readPath(command.path);
  if (path.mount === undefined) return { output: describeDirectory(path.given, mounts) };
  const tree = mounts.get(path.mount);
  const below = path.segments.join("/");
  const file = tree?.files.get(below);
  if (tree !== undefined && file !== undefined) {
    return { output: describeFile(path.given, file, command.view_range) };
  }
  if (tree === undefined || !isDirectory(tree, below)) throw notFound(path.given);
  return { output: describeDirectory(path.given, childrenOf(tree, below)) };
}

function create(mounts: Mounts, command: Of<"create">): CommandResult {
  const path = readPath(command.path);
  const taken = new MemoryRefusal(`File ${path.given} already exists`);
  if (path.mount === undefined) throw taken;
  const tree = writable(mounts, path);
  const below = path.segments.join("/");
  if (isDirectory(tree, below) || tree.files.has(below)) throw taken;
  requireDirectories(tree, path);
  requireRoom(tree, below, command.file_text);
  const change = { kind: "write", path: below, content: command.file_text } as const;
  return { output: `File created successfully at: ${path.given}`, mount: path.mount, change };
}

function replaceText(mounts: Mounts, command: Of<"str_replace">): CommandResult {
  const { path, tree, file } = requireFile(mounts, command.path);
  const { old_str: before, new_str: after } = command;
  const found = file.content
    .split("\n")
    .flatMap((line, index) => (line.includes(before) ? [index + 1] : []));
  const [line] = found;
  if (line === undefined) {
    throw new MemoryRefusal(
      `No replacement was performed, old_str \`${before}\` did not appear verbatim in ${path.given}.`,
    );
  }
  if (found.length > 1) {
    throw new MemoryRefusal(
      `No replacement was performed. Multiple occurrences of old_str \`${before}\` in lines: ` +
        `${found.join(", ")}. Please ensure it is unique`,
    );
  }
  const content = file.content.replace(before, () => after);
  const snippet = describeEdit(content, line);
  const said = file.framing === undefined ? snippet : `${file.framing}\n${snippet}`;
  return edited(tree, path, content, said);
}

function insertText(mounts: Mounts, command: Of<"insert">): CommandResult {
  const { path, tree, file } = requireFile(mounts, command.path);
  const lines = file.content.split("\n");
  const { insert_line: place, insert_text: text } = command;
  if (place < 0 || place > lines.length) {
    throw new MemoryRefusal(
      `Invalid \`insert_line\` parameter: ${place}. ` +
        `It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  lines.splice(place, 0, text.replace(/\n$/, ""));
  return edited(tree, path, lines.join("\n"), `The file ${path.given} has been edited.`);
}

function edited(
  tree: MemoryTree,
  path: MemoryPath,
  content: string,
  output: string,
): CommandResult {
  const below = path.segments.join("/");
  requireRoom(tree, below, content);
  return { output, mount: path.mount ?? "", change: { kind: "write", path: below, content } };
}

function remove(mounts: Mounts, command: Of<"delete">): CommandResult {
  const path = readPath(command.path);
  requireBelowScope(path, "delete");
  const tree = mounts.get(path.mount ?? "");
  const paths = tree === undefined ? [] : filesAt(tree, path.segments.join("/"));
  if (paths.length === 0) throw new MemoryRefusal(`The path ${path.given} does not exist`);
  writable(mounts, path);
  const output = `Successfully deleted ${path.given}`;
  return { output, mount: path.mount ?? "", change: { kind: "remove", paths } };
}

function rename(mounts: Mounts, command: Of<"rename">): CommandResult {
  const from = readPath(command.old_path);
  const to = readPath(command.new_path);
  requireBelowScope(from, "rename");
  const taken = new MemoryRefusal(`The destination ${to.given} already exists`);
  if (to.mount === undefined) throw taken;
  const target = mounts.get(to.mount);
  const [source, place] = [from.segments.join("/"), to.segments.join("/")];
  if (target !== undefined && (target.files.has(place) || isDirectory(target, place))) throw taken;
  const tree = mounts.get(from.mount ?? "");
  const paths = tree === undefined ? [] : filesAt(tree, source);
  if (paths.length === 0) throw new MemoryRefusal(`The path ${from.given} does not exist`);
  writable(mounts, from);
  const written = writable(mounts, to);
  if (tree !== written)
    throw new MemoryRefusal(`${from.given} can only be renamed within its scope`);
  if (place.startsWith(`${source}/`)) {
    throw new MemoryRefusal(`${from.given} cannot be moved into itself`);
  }
  requireDirectories(written, to);
  const moves = paths.map((path) => ({ from: path, to: place + path.slice(source.length) }));
  for (const moved of moves) readPath(`${ROOT}/${to.mount}/${moved.to}`);
  const output = `Successfully renamed ${from.given} to ${to.given}`;
  return { output, mount: to.mount, change: { kind: "move", moves } };
}

/** The file at a path, and those below it. */
function filesAt(tree: MemoryTree, path: string): string[] {
  const below = [...tree.files.keys()].filter((one) => one.startsWith(`${path}/`));
  return tree.files.has(path) ? [path] : below;
}

function requireBelowScope({ given, mount, segments }: MemoryPath, verb: string): void {
  if (mount !== undefined && segments.length > 0) return;
  const place = mount === undefined ? ROOT : given;
  throw new MemoryRefusal(`Cannot ${verb} the ${place} directory itself`);
}

/** The text of a file that may be changed. */
function requireFile(
  mounts: Mounts,
  given: string,
): { path: MemoryPath; tree: MemoryTree; file: RememberedFile } {
  const path = readPath(given);
  const tree = mounts.get(path.mount ?? "");
  const below = path.segments.join("/");
  const file = tree?.files.get(below);
  if (file !== undefined) return { path, file, tree: writable(mounts, path) };
  const isThere = path.mount === undefined || (tree !== undefined && isDirectory(tree, below));
  throw isThere ? new MemoryRefusal(`The path ${given} is not a file.`) : notFound(given);
}

function writable(mounts: Mounts, { given, mount }: MemoryPath): MemoryTree {
  const tree = mounts.get(mount ?? "");
  if (tree?.mayWrite) return tree;
  if (tree !== undefined) throw new MemoryRefusal(`${ROOT}/${mount} is read-only`);
  const open = [...mounts].flatMap(([name, { mayWrite }]) => (mayWrite ? `${ROOT}/${name}` : []));
  const where = open.length === 0 ? "nothing can be written" : `only below ${open.join(" and ")}`;
  throw new MemoryRefusal(`${given} cannot be written: ${where}`);
}

export function requireDirectories(tree: MemoryTree, { given, segments }: MemoryPath): void {
  const parents = segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join("/"));
  const file = parents.find((parent) => tree.files.has(parent));
  if (file !== undefined) {
    throw new MemoryRefusal(`${given} cannot be written: ${file} is a file, not a directory`);
  }
}

export function requireRoom(tree: MemoryTree, path: string, content: string): void {
  const bytes = Buffer.byteLength(content);
  const { fileBytes, scopeFiles, scopeBytes } = MEMORY_BOUNDS;
  const before = tree.files.get(path);
  // What makes a file smaller is taken, however full it is here.
  if (before !== undefined && bytes <= before.bytes) return;
  if (bytes > fileBytes) {
    throw new MemoryRefusal(`The file would have ${bytes} bytes; it may have ${fileBytes}`);
  }
  if (before === undefined && tree.files.size >= scopeFiles) {
    throw new MemoryRefusal(`There are ${scopeFiles} files, which is the most: delete some first`);
  }
  const others = [...tree.files.values()].reduce((sum, file) => sum + file.bytes, 0);
  const total = others - (before?.bytes ?? 0) + bytes;
  if (total > scopeBytes) {
    throw new MemoryRefusal(
      `The files would have ${total} bytes together; they may have ${scopeBytes}: delete some first`,
    );
  }
}
