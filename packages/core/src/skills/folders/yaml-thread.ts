// Runs in a thread: see untrusted/thread.ts.
export { editSkillFile } from "./edit-skill-file.ts";
export { readYaml, writeYaml } from "./yaml.ts";
