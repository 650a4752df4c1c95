/** What reads and writes Agent Skills folders without a server. */
export type { FolderFile } from "./skills/folders/check-files.ts";
export { checkFiles } from "./skills/folders/check-files.ts";
export { folderNameOf } from "./skills/folders/folder-paths.ts";
export { type ParsedSkill, parseSkillFolders } from "./skills/folders/parse-skill-folders.ts";
export { editSkillFile } from "./skills/folders/edit-skill-file.ts";
export { readYaml, writeYaml } from "./skills/folders/yaml.ts";
