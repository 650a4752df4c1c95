import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CommandError } from "@parley/command/command-error";
import { plain, printLine, reportLine } from "@parley/command/print";
import * as z from "zod";
import type { Context } from "./context.ts";

/** The package that `parley` comes in. */
const PACKAGE = "parley-server";
/** All releases that are not for trial; `*` would be the newest alone. */
const RANGE = "0 - 9999";
/** How long npm has for its answer, and how long that may be. */
const PATIENCE_MS = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Releases whose notes are shown, and lines of them: nobody reads more. */
const MAX_NOTES = 5;
const MAX_LINES = 40;

/** What a registry says of a release; `releaseNotes` is a member of the package's manifest. */
const Release = z.object({ version: z.string(), releaseNotes: z.string().optional() });
type Release = z.infer<typeof Release>;

/** What npm prints of several releases, or of the only one. */
const Answer = z.union([z.array(Release), Release.transform((one) => [one])]);

/** Says which release is the newest in the user's registry, and what is new in it; nothing is installed. Throws `CommandError`. */
export async function showUpdate(
  { io, readVersion }: Context,
  { json }: { readonly json?: true },
): Promise<void> {
  const current = readVersion();
  const releases = await readReleases(io.environment);
  const newer = releases.filter(({ version }) => compare(version, current) > 0);
  const newest = newer[0]?.version ?? current;
  if (json) return printLine(io, JSON.stringify({ current, newest, newer }));
  if (newer.length === 0) return printLine(io, `parley ${current} is the newest version`);
  printLine(io, `parley ${newest} is available; this is ${current}`);
  for (const { version, releaseNotes } of newer.slice(0, MAX_NOTES)) {
    if (releaseNotes === undefined) continue;
    printLine(io, `\n${plain(version)}`);
    for (const line of plain(releaseNotes).trim().split("\n").slice(0, MAX_LINES)) {
      printLine(io, line);
    }
  }
  reportLine(io, `Nothing was installed: npm install --global ${PACKAGE}@${newest} does that`);
}

/** The releases in the registry of the user's npm configuration, the newest first. */
async function readReleases(environment: NodeJS.ProcessEnv): Promise<Release[]> {
  const found = Answer.safeParse(await askNpm(environment));
  if (!found.success) throw new CommandError(`The registry's answer cannot be read: ${SEE}`);
  return found.data.toSorted((one, other) => compare(other.version, one.version));
}

const compare = (one: string, other: string): number =>
  one.localeCompare(other, "en", { numeric: true });

/** What to look at if the registry is wrong. */
const SEE = "see npm config get registry";

/** What npm prints of all releases: it knows registries, their credentials, proxies and certificates. */
async function askNpm(environment: NodeJS.ProcessEnv): Promise<unknown> {
  // More than one member, so that npm prints an object for each release.
  const fields = ["name", "version", "releaseNotes"];
  const settings = [
    "--json",
    "--prefer-online",
    "--fetch-retries=0",
    "--logs-max=0",
    "--no-update-notifier",
  ];
  const isShell = process.platform === "win32";
  const spec = `${PACKAGE}@${RANGE}`;
  const args = ["view", isShell ? `"${spec}"` : spec, ...fields, ...settings];
  try {
    const { stdout } = await promisify(execFile)("npm", args, {
      env: environment,
      timeout: PATIENCE_MS,
      maxBuffer: MAX_BYTES,
      // There npm is a script of the shell; nothing in the arguments is anybody's input.
      shell: isShell,
    });
    return parse(stdout);
  } catch (error) {
    throw new CommandError(explain(error as NpmFailure));
  }
}

/** How a run of npm failed. */
interface NpmFailure extends Error {
  readonly code?: string | number | undefined;
  readonly killed?: boolean;
  readonly stdout?: string;
}

/** Why npm gave no releases, by its code alone: what else it says may name credentials. */
function explain({ code, killed, stdout = "" }: NpmFailure): string {
  if (code === "ENOENT") return "npm is not installed: install Node with npm to look for updates";
  if (killed === true) return `The registry does not answer: ${SEE}`;
  const said = z.object({ error: z.object({ code: z.string() }) }).safeParse(parse(stdout)).data;
  const why = /^\w+$/.exec(said?.error.code ?? "")?.[0] ?? "unknown";
  if (why === "E404") return `The registry has no package ${PACKAGE}: ${SEE}`;
  if (why === "E401" || why === "E403")
    return `The registry refuses your credentials: see npm login`;
  return `The registry cannot be asked (${why}): ${SEE}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
