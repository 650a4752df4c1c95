import type { Issue, SkillFrontMatter } from "@parley/schema";
import { checkFiles, type FolderFile } from "./check-files.ts";
import { readSkillFile } from "./read-front-matter.ts";

const SKILL_FILE = "SKILL.md";
const MAX_SKILL_FILE_BYTES = 1024 * 1024;

/** A skill as its folder describes it. */
export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  /** Path of its SKILL.md in the upload. */
  readonly filePath: string;
  /** The Markdown behind the front matter. */
  readonly instructions: string;
  /** Its other files, with paths that begin in the skill's folder, in the order of these. */
  readonly attachments: readonly FolderFile[];
}

/** The skills of an upload, or why it is refused: an issue names a file and what is wrong with it. */
export type ParsedFolders =
  | { readonly skills: readonly ParsedSkill[]; readonly issues: readonly [] }
  | { readonly skills: readonly []; readonly issues: readonly Issue[] };

/**
 * Parses the Agent Skills folders (agentskills.io) of an upload: every folder with a SKILL.md is a
 * skill, and every file belongs to one. Either all of it is well, or nothing of it is taken.
 */
export function parseSkillFolders(files: readonly FolderFile[]): ParsedFolders {
  const misnamed = checkFiles(files);
  if (misnamed.length > 0) return { skills: [], issues: misnamed };
  const folders = files
    .filter(({ path }) => path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`))
    .map((file) => ({ file, folder: file.path.slice(0, -SKILL_FILE.length) }));
  const drafts: Draft[] = [];
  const issues: Issue[] = [];
  for (const { file, folder } of folders) {
    const draft = parseSkill(file, folder);
    if ("message" in draft) issues.push(draft);
    else drafts.push(draft);
  }
  issues.push(
    ...findStrays(
      files,
      folders.map((one) => one.folder),
    ),
  );
  issues.push(...findNamesakes(drafts));
  if (folders.length === 0) issues.unshift({ path: "files", message: "there is no SKILL.md" });
  if (issues.length > 0) return { skills: [], issues };
  const skills = drafts.map(({ folder, ...draft }) => ({
    ...draft,
    attachments: files
      .filter(({ path }) => path.startsWith(folder) && path !== draft.filePath)
      .map(({ path, bytes }) => ({ path: path.slice(folder.length), bytes }))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  }));
  return { skills, issues: [] };
}

interface Draft extends Omit<ParsedSkill, "attachments"> {
  /** Path of the skill's folder, with a slash at its end. */
  readonly folder: string;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function parseSkill({ path, bytes }: FolderFile, folder: string): Draft | Issue {
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
  const read = readSkillFile(text);
  if ("fault" in read) return refuse(read.fault);
  const { name, description }: SkillFrontMatter = read.frontMatter;
  const folderName = folder.split("/").at(-2);
  if (folderName === undefined) return refuse(`must be in a folder that is named ${name}`);
  if (folderName !== name) {
    return refuse(`front matter: name: must be its folder's name, ${folderName}, and is ${name}`);
  }
  return {
    name,
    description: description.trim(),
    filePath: path,
    instructions: read.body,
    folder,
  };
}

/** Files that belong to no skill, and skills within skills. */
function findStrays(files: readonly FolderFile[], folders: readonly string[]): Issue[] {
  const known = new Set(folders);
  return files.flatMap(({ path }): Issue[] => {
    const owners = ancestors(path).filter((folder) => known.has(folder));
    if (owners.length === 0 && folders.length > 0) {
      return [{ path, message: "belongs to no skill: no folder that it is in has a SKILL.md" }];
    }
    if (owners.length > 1) {
      return [{ path, message: `is in a skill within a skill: ${owners.join(", ")}` }];
    }
    return [];
  });
}

/** The folders that a file is in, each with a slash at its end; the first is the upload itself. */
function ancestors(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return ["", ...names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`)];
}

function findNamesakes(drafts: readonly Draft[]): Issue[] {
  const seen = new Map<string, string>();
  return drafts.flatMap(({ name, filePath }): Issue[] => {
    const other = seen.get(name);
    seen.set(name, other ?? filePath);
    if (other === undefined) return [];
    return [{ path: filePath, message: `the skill of ${other} has this name too` }];
  });
}
