import { Command } from "@commander-js/extra-typings";
import { group } from "@parley/command/group";
import { withServer } from "../connection/server-options.ts";
import { createAdministration } from "./administer-skills.ts";
import type { Context } from "../connection/context.ts";

const sources = `
Repositories are fetched with git, over https, ssh or file. The URL may end in a branch, tag or commit and a folder,
such as https://example.com/skills.git#main:support.`;

const importing = (context: Context) =>
  withServer(new Command("import"))
    .description("import skills into the workspace")
    .argument(
      "<source>",
      "a folder with one or more skills, a .zip, or the URL of a Git repository",
    )
    .option("--on-conflict <what>", "what to do if the name is taken: error, skip or override")
    .option("--status <status>", "status of the skills")
    .option("--availability <availability>", "who can use them")
    .option("--repo-url <url>", "where they come from")
    .addHelpText("after", sources)
    .action(async (source, options) =>
      (await import("./import-skills.ts")).importSkills(context, source, options),
    );

const exporting = (context: Context) =>
  withServer(new Command("export"))
    .description("save a skill as a folder")
    .argument("<skill>", "id or name")
    .argument("[folder]", "folder to save it in", ".")
    .option("--zip", "save it as a .zip archive")
    .action(async (skill, folder, options) =>
      (await import("./export-skill.ts")).exportSkill(
        context,
        { reference: skill, into: folder },
        options,
      ),
    );

const validating = (context: Context) =>
  new Command("validate")
    .description("check skills as an import would, without a server")
    .argument(
      "<source>",
      "a folder with one or more skills, a .zip, or the URL of a Git repository",
    )
    .option("--json", "print the skills and their errors as JSON")
    .addHelpText("after", sources)
    .action(async (source, options) =>
      (await import("./validate-skills.ts")).validateSkills(context, source, options),
    );

/** Makes the commands about skills. */
export const createSkillCommands = (context: Context) =>
  group("skills", "instructions and tools that agents can load", [
    ...createAdministration(context),
    importing(context),
    exporting(context),
    validating(context),
  ]);
