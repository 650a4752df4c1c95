import { folderNameOf } from "@parley/core/skill-folders";
import { editorFilesOf } from "../functions/editor-files.ts";
import { writeFunctionFolder } from "../functions/write-function-folder.ts";
import { writeAgentFiles } from "./agent-files.ts";
import type { WorkspaceDefinition } from "./definitions.ts";
import { fileNamesOf } from "./file-names.ts";
import { SETTINGS_FILE, writeSettingsFile } from "./settings-file.ts";
import { writeSkillFile, writeSkillYaml } from "./skill-files.ts";
import { writeToolFile } from "./tool-files.ts";

/** The files of a folder, by their paths in it, and the paths of those of skills that are executable. */
export interface FolderFiles {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly executables: ReadonlySet<string>;
  /** Files for editors, which declare nothing: they are written where there are none. */
  readonly forEditors: ReadonlyMap<string, Buffer>;
}

/** The folder that declares a workspace. Equal workspaces give equal folders. */
export function writeWorkspaceFolder(workspace: WorkspaceDefinition): FolderFiles {
  const files = new Map<string, Buffer>();
  const executables = new Set<string>();
  const forEditors = new Map<string, Buffer>();
  const add = (path: string, content: string | Uint8Array) => {
    files.set(path, typeof content === "string" ? Buffer.from(content) : Buffer.from(content));
  };
  const { tools, skills, functions, agents } = workspace;
  add(SETTINGS_FILE, writeSettingsFile(workspace));
  const namesOf = (named: readonly { readonly name: string }[]) =>
    fileNamesOf(named.map(({ name }) => name));
  const toolFiles = namesOf(tools);
  for (const tool of tools) {
    add(`tools/${toolFiles.get(tool.name) ?? ""}.yaml`, writeToolFile(tool));
  }
  const skillFolders = namesOf(skills);
  for (const skill of skills) {
    const folder = skillFolders.get(skill.name) ?? folderNameOf(skill.name);
    add(`skills/${folder}/SKILL.md`, writeSkillFile(skill, folder));
    for (const [path, content] of Object.entries(skill.files)) {
      add(`skills/${folder}/${path}`, content);
      if (skill.executables.includes(path)) executables.add(`skills/${folder}/${path}`);
    }
    const beside = writeSkillYaml(skill, folder);
    if (beside !== undefined) add(`skills/${folder}.yaml`, beside);
  }
  const functionFolders = fileNamesOf(functions.map(({ slug }) => slug));
  for (const one of functions) {
    const folder = `functions/${functionFolders.get(one.slug) ?? one.slug}`;
    for (const [path, text] of Object.entries(writeFunctionFolder(one))) {
      add(`${folder}/${path}`, text);
    }
    for (const [name, text] of Object.entries(editorFilesOf(one.files))) {
      forEditors.set(`${folder}/${name}`, Buffer.from(text));
    }
  }
  const agentFiles = namesOf(agents);
  for (const agent of agents) {
    const written = writeAgentFiles(agent, `agents/${agentFiles.get(agent.name) ?? ""}`);
    for (const [path, text] of Object.entries(written)) add(path, text);
  }
  const sorted = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { files: new Map(sorted), executables, forEditors };
}
