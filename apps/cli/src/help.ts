import { describeSettings } from "./config.ts";

/** The text of `parley --help`. */
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
       parley database url
       parley export [<file>]
       parley import [<file>]
       parley skills import <folder> [--on-conflict error|skip|override] [--status <status>]
              [--availability <availability>] [--repo-url <url>] [--url <url>] [--workspace <id>]
       parley functions record <file.jsonl>

serve serves the API and runs agents and functions in one process. Without DATABASE_URL it starts a
PostgreSQL in PARLEY_DATA_DIR. api and worker do one half each, in any number of processes on one
PostgreSQL; Redis carries hints between them.

migrate brings the tables of the database up to date, as each of these does when it starts.

keys bootstrap creates the first operator key and prints it.

database url prints the URL of the database for psql; of the embedded one while parley serve runs.

export writes the whole database, with keys and secrets, to a new file or to standard output.
import writes an export into an empty database. No server may run on an embedded database meanwhile.

skills import sends a skill's folder, or a folder of such folders, to a running server: to --url or
PARLEY_URL, into the workspace of --workspace or PARLEY_WORKSPACE_ID, with the key in PARLEY_API_KEY.

functions record prints the program of a simulated function that replays the past invocations of
a JSON Lines file.

Options:
  --demo         create the demo workspace with DATABASE_URL too
  -h, --help     print this text
  -v, --version  print the version

Environment:
${rows.join("\n")}
`;
}
