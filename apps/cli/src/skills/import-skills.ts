import { parseArgs } from "node:util";
import { createParley, ParleyError } from "parley-client";
import { ImportSkills } from "@parley/schema";
import { readServerSettings } from "../config.ts";
import { readSkillFolders } from "./read-skill-folders.ts";
import { CommandError } from "../command-error.ts";

/** Imports skill folders into the workspace of a running server, and prints the result of each. */
export async function importSkills(
  args: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "on-conflict": { type: "string" },
      status: { type: "string" },
      availability: { type: "string" },
      "repo-url": { type: "string" },
      url: { type: "string" },
      workspace: { type: "string" },
    },
  });
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) {
    throw new CommandError("skills import takes one folder; see parley --help");
  }
  const fields = ImportSkills.safeParse({
    onConflict: values["on-conflict"],
    status: values.status,
    availability: values.availability,
    repoUrl: values["repo-url"],
    source: "local_file",
  });
  if (!fields.success) {
    const [issue] = fields.error.issues;
    throw new CommandError(`${String(issue?.path[0])}: ${issue?.message}`);
  }
  const parley = createParley(readServerSettings(values));
  const { files, leftOut } = await readSkillFolders(folder);
  for (const name of leftOut) print(`left out: ${name}`);
  const report = await parley.skills.import({ ...fields.data, files }).catch((error: unknown) => {
    throw error instanceof ParleyError ? new CommandError(describeRefusal(error)) : error;
  });
  for (const kind of ["imported", "updated", "skipped"] as const) {
    for (const { name, sId, reason } of report[kind]) print(`${kind}: ${name} (${sId}): ${reason}`);
  }
}

/** A line for each refused file, with its error. */
function describeRefusal({ message, issues }: ParleyError): string {
  const lines = issues.map((issue) => `  ${issue.path}: ${issue.message}`);
  return ["Nothing was imported", ...(lines.length > 0 ? lines : [`  ${message}`])].join("\n");
}
