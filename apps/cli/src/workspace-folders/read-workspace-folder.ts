import { readdir } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "../command-error.ts";
import { readFunctionFiles, readFunctionFolder } from "../functions/read-function-folder.ts";
import { kindOf, readRegularFile } from "../regular-files.ts";
import { readSkillFolders } from "../skills/read-skill-folders.ts";
import { markdownOf, readAgentFile } from "./agent-files.ts";
import type { WorkspaceDefinition } from "./definitions.ts";
import { type Fault, refuseFaults } from "./faults.ts";
import type { ReadFile } from "./read-yaml.ts";
import { readSettingsFile, SETTINGS_FILE } from "./settings-file.ts";
import { readSkillSource } from "./skill-files.ts";
import { readToolFile } from "./tool-files.ts";

/** More than a file of an agent may have. */
const MAX_BYTES = 4 * 1024 * 1024;
const YAML = /\.ya?ml$/;

/** A definition, and the file that has it. */
export type Declared<D> = D & { readonly file: string };

/** What a folder declares, with the file of each thing. */
export type DeclaredWorkspace = Pick<WorkspaceDefinition, "settings" | "spaces"> & {
  readonly [K in "tools" | "skills" | "functions" | "agents"]: readonly Declared<
    WorkspaceDefinition[K][number]
  >[];
};

/** Reads a workspace's folder. Throws `CommandError`, which names all faults of all its files. */
export async function readWorkspaceFolder(folder: string): Promise<DeclaredWorkspace> {
  const entries = await entriesOf(folder);
  if (!entries.includes(SETTINGS_FILE)) {
    const cure = "parley pull writes a folder; an empty file declares no settings";
    throw new CommandError(`${folder}: has no ${SETTINGS_FILE}: ${cure}`);
  }
  const faults: Fault[] = [];
  const collect = async <T>(file: string, reading: () => Promise<ReadFile<T>>) => {
    const read = await reading().catch((error: unknown): ReadFile<T> => {
      // Of one file: the others may have faults too.
      if (error instanceof CommandError) return { faults: [{ file, message: error.message }] };
      throw error;
    });
    if ("value" in read) return [{ ...read.value, file }];
    faults.push(...read.faults);
    return [];
  };
  const text = async (file: string): Promise<string> => readText(path.join(folder, file));
  const [settings] = await collect(SETTINGS_FILE, async () =>
    readSettingsFile(await text(SETTINGS_FILE)),
  );
  const inside = async (name: string) =>
    entries.includes(name)
      ? (await entriesOf(path.join(folder, name))).map((entry) => `${name}/${entry}`)
      : [];
  const agentEntries = await inside("agents");
  const stray = (file: string, message: string) => faults.push({ file, message });
  const agents = await collectEach(agentEntries, async (file) => {
    if (YAML.test(file)) {
      return collect(file, async () => {
        const markdown = markdownOf(file);
        const isThere = agentEntries.includes(markdown);
        return readAgentFile({
          file,
          text: await text(file),
          markdown: isThere ? await text(markdown) : undefined,
        });
      });
    }
    const has = (extension: string) => agentEntries.includes(file.replace(/\.md$/, extension));
    const isInstructions = file.endsWith(".md") && (has(".yaml") || has(".yml"));
    if (!isInstructions) stray(file, "is of no agent: those are files in YAML");
    return [];
  });
  const tools = await collectEach(await inside("tools"), async (file) => {
    if (YAML.test(file)) return collect(file, async () => readToolFile(file, await text(file)));
    stray(file, "is no tool: those are files in YAML");
    return [];
  });
  const skillEntries = await inside("skills");
  const skills = await collectEach(skillEntries, async (file) => {
    if (YAML.test(file)) {
      const isBeside = skillEntries.includes(file.replace(YAML, ""));
      if (!isBeside) stray(file, "is beside no folder of a skill with its name");
      return [];
    }
    return collect(file, async () => {
      const { files } = await readSkillFolders(path.join(folder, file));
      const yaml = skillEntries.find((one) => YAML.test(one) && one.replace(YAML, "") === file);
      const beside = yaml === undefined ? undefined : { file: yaml, text: await text(yaml) };
      return readSkillSource({ folder: file, files, yaml: beside });
    });
  });
  const functions = await collectEach(await inside("functions"), async (file) => {
    const place = path.join(folder, file);
    return collect(file, async () => {
      const isEmpty = Object.keys(await readFunctionFiles(place)).length === 0;
      return isEmpty ? { faults: [] } : { value: await readFunctionFolder(place) };
    });
  });
  const declared = { tools, skills, functions, agents };
  faults.push(
    ...findNamesakes("tool", tools, ({ name }) => name),
    ...findNamesakes("skill", skills, ({ name }) => name),
    ...findNamesakes("function", functions, ({ slug }) => slug),
    ...findNamesakes("agent", agents, ({ name }) => name),
  );
  if (settings === undefined || faults.length > 0) throw refuseFaults(folder, faults);
  return { settings: settings.settings, spaces: settings.spaces, ...declared };
}

async function collectEach<T>(
  files: readonly string[],
  read: (file: string) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (const file of files) all.push(...(await read(file)));
  return all;
}

function findNamesakes<D extends { readonly file: string }>(
  kind: string,
  declared: readonly D[],
  nameOf: (one: D) => string,
): Fault[] {
  const seen = new Map<string, string>();
  return declared.flatMap((one): Fault[] => {
    const name = nameOf(one);
    const other = seen.get(name);
    seen.set(name, other ?? one.file);
    return other === undefined
      ? []
      : [{ file: one.file, message: `${other} declares a ${kind} ${name} too` }];
  });
}

/** The names in a folder, in order, without hidden ones and texts for readers. */
async function entriesOf(folder: string): Promise<string[]> {
  const kind = await kindOf(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new CommandError(`${folder}: there is no such folder`);
  });
  if (kind !== "folder") throw new CommandError(`${folder}: is no folder`);
  const names = await readdir(folder);
  return names.filter((name) => !/^\.|^README(?:\..*)?$/i.test(name)).toSorted();
}

/** The text of a file, exactly. Throws `CommandError`. */
async function readText(place: string): Promise<string> {
  await kindOf(place);
  const bytes = await readRegularFile(place, { bytesLeft: MAX_BYTES, maxBytes: MAX_BYTES });
  try {
    return new TextDecoder("utf8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError("is no text in UTF-8");
  }
}
