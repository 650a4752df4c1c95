import { Command } from "@commander-js/extra-typings";
import { group } from "@parley/command/group";
import { withServer } from "../connection/server-options.ts";
import { createAdministration } from "./administer-skills.ts";
import type { Context } from "../connection/context.ts";

const sources = `
Repositories are fetched with git, over https, ssh or file. A branch, tag or commit and a folder may follow the URL, as
in https://example.com/skills.git#main:support.`;

const importing = (context: Context) =>
  withServer(new Command("import"))
    .description("send skills to the workspace")
    .argument("<source>", "folder of a skill or of several, a .zip, or the URL of a Git repository")
    .option("--on-conflict <what>", "error, skip or override a skill of the same name")
    .option("--status <status>", "state of the skills")
    .option("--availability <availability>", "who is offered them")
    .option("--repo-url <url>", "where they come from")
    .addHelpText("after", sources)
    .action(async (source, options) =>
      (await import("./import-skills.ts")).importSkills(context, source, options),
    );

const exporting = (context: Context) =>
  withServer(new Command("export"))
    .description("write a skill as its folder")
    .argument("<skill>", "id or name")
    .argument("[folder]", "folder to write it into", ".")
    .option("--zip", "as an archive")
    .action(async (skill, folder, options) =>
      (await import("./export-skill.ts")).exportSkill(
        context,
        { reference: skill, into: folder },
        options,
      ),
    );

const validating = (context: Context) =>
  new Command("validate")
    .description("check skills as an import does, without a server")
    .argument("<source>", "folder of a skill or of several, a .zip, or the URL of a Git repository")
    .option("--json", "print the skills and their faults, as JSON")
    .addHelpText("after", sources)
    .action(async (source, options) =>
      (await import("./validate-skills.ts")).validateSkills(context, source, options),
    );

/** Makes the commands about skills. */
export const createSkillCommands = (context: Context) =>
  group("skills", "what agents know how to do", [
    ...createAdministration(context),
    importing(context),
    exporting(context),
    validating(context),
  ]);
