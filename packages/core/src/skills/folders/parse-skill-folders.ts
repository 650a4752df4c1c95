import type { Issue, SkillFrontMatter } from "@parley/schema";
import { checkFiles, type FolderFile } from "./check-files.ts";
import { type ParseYaml, readSkillFile } from "./read-front-matter.ts";

const SKILL_FILE = "SKILL.md";
const MAX_SKILL_FILE_BYTES = 1024 * 1024;

/** A skill as its folder describes it. */
export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  /** Path of its SKILL.md in the upload. */
  readonly filePath: string;
  /** The text of its SKILL.md, with a byte order mark if it has one. */
  readonly skillFile: string;
  /** The Markdown after the front matter. */
  readonly instructions: string;
  /** Its other files, by path; paths are relative to the skill's folder. */
  readonly attachments: readonly FolderFile[];
}

/** The skills of an upload, or its faults: each issue names a file. */
export type ParsedFolders =
  | { readonly skills: readonly ParsedSkill[]; readonly issues: readonly [] }
  | { readonly skills: readonly []; readonly issues: readonly Issue[] };

/**
 * Parses the Agent Skills folders (agentskills.io) of an upload: every folder with a SKILL.md is a
 * skill, and every file belongs to one. One fault refuses the whole upload.
 */
export async function parseSkillFolders(
  files: readonly FolderFile[],
  parseYaml: ParseYaml,
): Promise<ParsedFolders> {
  const misnamed = checkFiles(files);
  if (misnamed.length > 0) return { skills: [], issues: misnamed };
  const folders = files
    .filter(({ path }) => path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`))
    .map((file) => ({ file, folder: file.path.slice(0, -SKILL_FILE.length) }));
  const drafts: Draft[] = [];
  const issues: Issue[] = [];
  const parsed = folders.map(async ({ file, folder }) => parseSkill(file, folder, parseYaml));
  for (const draft of await Promise.all(parsed)) {
    if ("message" in draft) issues.push(draft);
    else drafts.push(draft);
  }
  const roots = folders.map(({ folder }) => folder);
  issues.push(...findStrays(files, roots), ...findNamesakes(drafts));
  if (folders.length === 0) issues.unshift({ path: "files", message: "there is no SKILL.md" });
  if (issues.length > 0) return { skills: [], issues };
  const skills = drafts.map(({ folder, ...draft }) => ({
    ...draft,
    attachments: files
      .filter(({ path }) => path.startsWith(folder) && path !== draft.filePath)
      .map((file) => ({ ...file, path: file.path.slice(folder.length) }))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  }));
  return { skills, issues: [] };
}

interface Draft extends Omit<ParsedSkill, "attachments"> {
  /** Path of the skill's folder, with a slash at its end. */
  readonly folder: string;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

async function parseSkill(
  { path, bytes }: FolderFile,
  folder: string,
  parseYaml: ParseYaml,
): Promise<Draft | Issue> {
  const refuse = (message: string): Issue => ({ path, message });
  if (bytes.length > MAX_SKILL_FILE_BYTES) {
    return refuse(`must be at most ${MAX_SKILL_FILE_BYTES} bytes`);
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return refuse("must be UTF-8");
  }
  if (text.includes("\u0000")) return refuse("must not contain NUL");
  const read = await readSkillFile(text, parseYaml);
  if ("fault" in read) return refuse(read.fault);
  const { name, description }: SkillFrontMatter = read.frontMatter;
  const folderName = folder.split("/").at(-2);
  if (folderName === undefined) return refuse(`must be in a folder named ${name}`);
  if (folderName !== name) {
    return refuse(`front matter: name: must be its folder's name, ${folderName}, not ${name}`);
  }
  return {
    name,
    description: description.trim(),
    filePath: path,
    skillFile: text,
    instructions: read.body,
    folder,
  };
}

/** Files outside all skills, and files of nested skills. */
function findStrays(files: readonly FolderFile[], folders: readonly string[]): Issue[] {
  const known = new Set(folders);
  return files.flatMap(({ path }): Issue[] => {
    const owners = ancestors(path).filter((folder) => known.has(folder));
    if (owners.length === 0 && folders.length > 0) {
      return [{ path, message: "does not belong to a skill: none of its folders has a SKILL.md" }];
    }
    if (owners.length > 1) {
      return [{ path, message: `is in a skill within a skill: ${owners.join(", ")}` }];
    }
    return [];
  });
}

/** The folders of a file, each with a slash at its end; the first is the upload itself. */
function ancestors(path: string): string[] {
  const folders = [""];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    folders.push(path.slice(0, at + 1));
  }
  return folders;
}

function findNamesakes(drafts: readonly Draft[]): Issue[] {
  const seen = new Map<string, string>();
  return drafts.flatMap(({ name, filePath }): Issue[] => {
    const other = seen.get(name);
    seen.set(name, other ?? filePath);
    if (other === undefined) return [];
    return [{ path: filePath, message: `the skill of ${other} also has this name` }];
  });
}
