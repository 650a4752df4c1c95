import { describeSettings } from "./config.ts";

/** What `parley --help` prints. */
export function renderHelp(): string {
  const rows = describeSettings().map(
    ({ name, byDefault, description }) =>
      `  ${name}\n      ${description}${byDefault && ` (default: ${byDefault})`}`,
  );
  return `Usage: parley serve [--demo]
       parley api [--demo]
       parley worker
       parley migrate
       parley keys bootstrap
       parley export [<file>]
       parley import [<file>]
       parley skills import <folder> [--on-conflict error|skip|override] [--status <status>]
              [--availability <availability>] [--repo-url <url>] [--url <url>] [--workspace <id>]
       parley functions record <file.jsonl>

serve serves the API and runs agents and functions, in one process. api and worker do each half, in
any number of processes on one PostgreSQL; Redis tells them of each other's work.

migrate brings the tables of the database up to date, as each of these does when it starts.

keys bootstrap makes the first operator key and prints it.

export writes all that the database holds to a new file, or to standard output: keys and secrets too.
import writes that into an empty PostgreSQL. Of the embedded database, no server may be running.

skills import sends a skill's folder, or a folder of such folders, to a running server: that of
--url or PARLEY_URL, into the workspace of --workspace or PARLEY_WORKSPACE_ID, with the key in
PARLEY_API_KEY.

functions record prints the behaviour of a simulated function that replays the past invocations of
a JSON Lines file.

Options:
  --demo      make the demo workspace on PostgreSQL too
  -h, --help  print this text

Environment:
${rows.join("\n")}
`;
}
