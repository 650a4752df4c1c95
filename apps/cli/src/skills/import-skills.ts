import { CommandError } from "@parley/command/command-error";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import { ParleyError } from "parley-client";
import { ImportSkills } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { openSkills } from "./open-skills.ts";
import type { Context } from "../connection/context.ts";

/** What an import says of all its skills. */
interface ImportOptions extends ServerOptions {
  readonly onConflict?: string;
  readonly status?: string;
  readonly availability?: string;
  readonly repoUrl?: string;
}

/** Imports the skills of a folder, an archive or a repository into a workspace, and prints the result of each. */
export async function importSkills(
  context: Context,
  given: string,
  options: ImportOptions,
): Promise<void> {
  const { onConflict, status, availability, repoUrl } = options;
  const fields = ImportSkills.safeParse({
    onConflict,
    status,
    availability,
    repoUrl,
    source: "local_file",
  });
  if (!fields.success) {
    const [issue] = fields.error.issues;
    throw new CommandError(`${String(issue?.path[0])}: ${issue?.message}`);
  }
  const { io, parley } = await connect(context, options);
  const { files, leftOut, repoUrl: origin } = await openSkills(io, given);
  for (const name of leftOut) reportLine(io, `left out: ${oneLine(name)}`);
  const from = fields.data.repoUrl ?? origin;
  const form = { ...fields.data, ...(from !== undefined && { repoUrl: from }), files };
  const report = await parley.skills.import(form).catch((error: unknown) => {
    const isRefused = error instanceof ParleyError && error.issues.length > 0;
    if (isRefused) throw new CommandError(describeRefusal(error));
    return callServer(Promise.reject(error as Error));
  });
  if (options.json) return printLine(io, JSON.stringify(report));
  for (const kind of ["imported", "updated", "skipped"] as const) {
    for (const { name, sId, reason } of report[kind])
      printLine(io, `${kind}: ${name} (${sId}): ${reason}`);
  }
  const isSuggested = (fields.data.status ?? "suggested") === "suggested";
  const isEditors = (fields.data.availability ?? "editors") === "editors";
  const [first, ...others] = report.imported;
  if (first === undefined || !(isSuggested || isEditors)) return;
  const use = [
    ...(isSuggested ? ["approve"] : []),
    ...(isEditors ? ["publish --availability workspace_users"] : []),
  ].map((command) => `parley skills ${command} ${first.sId}`);
  const who = isSuggested ? "Nobody can use them yet" : "Only their editors can use them";
  const each = others.length > 0 ? ", and the same for the others" : "";
  reportLine(io, `${who}: ${use.join(", then ")}${each}`);
}

/** A line for each refused file, with its error. */
function describeRefusal({ issues }: ParleyError): string {
  const lines = issues.map((issue) => `  ${issue.path}: ${issue.message}`);
  return ["Nothing was imported. Correct these files and try again", ...lines].join("\n");
}
