import { Command } from "@commander-js/extra-typings";
import { withServer } from "../connection/server-options.ts";
import { group } from "../group.ts";
import { createAdministration } from "./administer-skills.ts";

const importing = withServer(new Command("import"))
  .description("send a skill's folder, or a folder of such folders")
  .argument("<folder>")
  .option("--on-conflict <what>", "error, skip or override a skill of the same name")
  .option("--status <status>", "state of the skills")
  .option("--availability <availability>", "who is offered them")
  .option("--repo-url <url>", "where they come from")
  .action(async (folder, options) =>
    (await import("./import-skills.ts")).importSkills(folder, options),
  );

/** Makes the commands about skills. */
export const createSkillCommands = () =>
  group("skills", "what agents know how to do", [...createAdministration(), importing]);
