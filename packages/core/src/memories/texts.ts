/** The texts of results, as the file implementation of the tool in Anthropic's SDK writes them. */
import type { MemoryTree, RememberedFile } from "./trees.ts";

/** Of the numbers before lines. */
const NUMBER_WIDTH = 6;
/** Levels that a listing shows. */
const MAX_DEPTH = 2;
/** A directory takes no space; file systems say this. */
const DIRECTORY_SIZE = "4K";

/** Lists what is in a directory: a tree, or the trees of scopes by their names. */
export function describeDirectory(
  path: string,
  tree: MemoryTree | ReadonlyMap<string, MemoryTree>,
): string {
  const entries: [string, RememberedFile | undefined][] =
    "files" in tree
      ? [...tree.files]
      : [...tree].flatMap(([name, { files }]): [string, RememberedFile | undefined][] => [
          // A scope is there before it has files.
          [`${name}/`, undefined],
          ...[...files].map(([below, file]): [string, RememberedFile] => [
            `${name}/${below}`,
            file,
          ]),
        ]);
  const lines = listLevel(entries, 1).map(({ size, name }) => `${size}\t${path}/${name}`);
  const header = `Here're the files and directories up to ${MAX_DEPTH} levels deep in ${path}, excluding hidden items and node_modules:`;
  return [header, `${DIRECTORY_SIZE}\t${path}`, ...lines].join("\n");
}

function listLevel(
  entries: readonly (readonly [string, RememberedFile | undefined])[],
  depth: number,
): { size: string; name: string }[] {
  const byName = Map.groupBy(entries, ([path]) => path.split("/", 1)[0] ?? "");
  const shown = [...byName.keys()].filter(
    (name) => name !== "" && !name.startsWith(".") && name !== "node_modules",
  );
  return shown.toSorted(byCodeUnits).flatMap((name) => {
    const below = byName.get(name) ?? [];
    const [first] = below;
    if (first?.[0] === name) return [{ size: formatSize(first[1]?.bytes ?? 0), name }];
    const inner = below.map(([path, file]) => [path.slice(name.length + 1), file] as const);
    const listed = depth < MAX_DEPTH ? listLevel(inner, depth + 1) : [];
    return [
      { size: DIRECTORY_SIZE, name: `${name}/` },
      ...listed.map((one) => ({ ...one, name: `${name}/${one.name}` })),
    ];
  });
}

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function formatSize(bytes: number): string {
  if (bytes === 0) return "0B";
  const power = Math.floor(Math.log(bytes) / Math.log(1024));
  const size = bytes / 1024 ** power;
  return (size % 1 === 0 ? size.toString() : size.toFixed(1)) + ["B", "K", "M", "G"][power];
}

/** The numbered lines of a file, or of a range of them. */
export function describeFile(
  path: string,
  { content, framing }: RememberedFile,
  range: readonly number[] | undefined,
): string {
  let lines = content.split("\n");
  let first = 1;
  if (range?.length === 2) {
    const [from = 1, to = -1] = range;
    const start = Math.max(1, from) - 1;
    lines = lines.slice(start, to === -1 ? lines.length : to);
    first = start + 1;
  }
  const said = `Here's the content of ${path} with line numbers:\n${numbered(lines, first)}`;
  return framing === undefined ? said : `${framing}\n${said}`;
}

/** The lines around a change. */
export function describeEdit(content: string, changedLine: number): string {
  const lines = content.split("\n");
  const start = Math.max(0, changedLine - 3);
  const shown = lines.slice(start, Math.min(lines.length, changedLine + 2));
  return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${numbered(shown, start + 1)}`;
}

function numbered(lines: readonly string[], first: number): string {
  return lines
    .map((line, index) => `${String(index + first).padStart(NUMBER_WIDTH)}\t${line}`)
    .join("\n");
}
