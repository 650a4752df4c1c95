import { parseArgs } from "node:util";
import { createParley, ParleyError } from "@parley/client";
import { ImportSkills } from "@parley/schema";
import { readServerSettings } from "./config.ts";
import { readSkillFolders } from "./read-skill-folders.ts";
import { Usage } from "./usage.ts";

/** Imports skill folders into the workspace of a running server, and prints what became of each. */
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
    throw new Usage("skills import takes one folder; see parley --help");
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
    throw new Usage(`${String(issue?.path[0])}: ${issue?.message}`);
  }
  const server = readServerSettings(values);
  const { files, leftOut } = await readSkillFolders(folder);
  for (const name of leftOut) print(`left out: ${name}`);
  const parley = createParley(server);
  const report = await parley.skills.import({ ...fields.data, files }).catch((error: unknown) => {
    throw error instanceof ParleyError ? new RefusedImport(error) : error;
  });
  for (const kind of ["imported", "updated", "skipped"] as const) {
    for (const { name, sId, reason } of report[kind]) print(`${kind}: ${name} (${sId}): ${reason}`);
  }
}

/** The server took nothing; the message has a line for each file and what is wrong with it. */
class RefusedImport extends Error {
  override readonly name = "RefusedImport";

  constructor({ message, issues }: ParleyError) {
    const lines = issues.map((issue) => `  ${issue.path}: ${issue.message}`);
    super(["Nothing was imported", ...(lines.length > 0 ? lines : [`  ${message}`])].join("\n"));
  }
}
