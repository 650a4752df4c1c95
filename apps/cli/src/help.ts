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
       parley console [--url <url>]
       parley export [<file>]
       parley import [<file>]
       parley skills import <folder> [--on-conflict error|skip|override] [--status <status>]
              [--availability <availability>] [--repo-url <url>] [--url <url>] [--workspace <id>]
       parley functions init <folder> [--javascript]
       parley functions push <folder> [<server>]
       parley functions invoke <function> [--input <json>|-] [--no-wait] [<server>]
       parley functions logs <function> [<invocation>] [--follow] [<server>]
       parley functions list [<server>]
       parley functions show <function> [<server>]
       parley functions secret put|remove <name> [<server>]
       parley functions secret list [<server>]
       parley functions record <file.jsonl>
       parley tools list [<server>]
       parley tools show|refresh|remove <tool> [<server>]
       parley tools register <url> [--space <id>] [--name <name>] [--description <text>]
              [--restricted-to-skills] [<connection>] [<server>]
       parley tools update <tool> [--server <url>] [<connection>] [<server>]

serve serves the API and runs agents and functions in one process. Without DATABASE_URL it starts a
PostgreSQL in PARLEY_DATA_DIR. api and worker do one half each, in any number of processes on one
PostgreSQL; Redis carries hints between them.

migrate brings the tables of the database up to date, as each of these does when it starts.

keys bootstrap creates the first operator key and prints it.

database url prints the URL of the database for psql; of the embedded one while parley serve runs.

console opens the page of a running server in the browser, signed in: that of PARLEY_URL with the key in
PARLEY_API_KEY, or that of the demo in PARLEY_DATA_DIR. It prints the link, which is valid once and for ten minutes.

export writes the whole database, with keys and secrets, to a new file or to standard output.
import writes an export into an empty database. No server may run on an embedded database meanwhile.

skills import sends a skill's folder, or a folder of such folders, to a running server: to --url or
PARLEY_URL, into the workspace of --workspace or PARLEY_WORKSPACE_ID, with the key in PARLEY_API_KEY.

functions init writes the folder of a small function in TypeScript, or with --javascript in JavaScript. push makes
the function of the server what the folder is: function.json, and as source every other file but README, package.json,
lockfiles, tsconfig.json, node_modules, tests (*.test.*, *.spec.*), types (*.d.ts) and names that begin with a dot.
Where nothing differs there is no new version. invoke prints the lines of the function to standard error and its result
to standard output, and exits with 1 where it fails; Ctrl-C cancels it; --no-wait prints its id. logs prints an
invocation, the newest by default. secret put reads the value from standard input; a terminal is asked for it.

functions record prints the program of a simulated function that replays the past invocations of
a JSON Lines file.

tools are MCP servers that agents call, each named by its id or its name. register adds a remote one;
refresh asks it for its tools again; update changes its <connection>, and leaves what no option names:
    [--bearer] [--header <name>]… [--oauth-client <id>] [--oauth-scope <scope>] [--per-user]
    [--default-stake <stake>] [--stake <tool>=<stake>]… [--retryable <tool>]…
    [--timeout-ms <ms>] [--max-concurrent <calls>]
The bearer token, the values of headers and the secret of the OAuth client are read from standard input,
a line each in this order; a terminal is asked for them. With --per-user, each user allows the calls at the
server's own authorization server, where Parley registers itself without --oauth-client. <server> is, as for skills import,
[--url <url>] [--workspace <id>], and [--json] to print what the server answers.

Options:
  --demo         create the demo workspace with DATABASE_URL too
  -h, --help     print this text
  -v, --version  print the version

Environment:
${rows.join("\n")}
`;
}
