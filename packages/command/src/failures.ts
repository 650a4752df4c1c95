import { inspect } from "node:util";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./command-error.ts";
import { reportLine } from "./print.ts";
import { reasonOfUnavailable } from "@parley/db/unavailable";

/** Errors whose message says what is wrong and what would be right. */
const explained = new Set([
  "CommandError",
  "BadConfiguration",
  "DatabaseForeign",
  "DatabaseTooNew",
  "DirectoryInUse",
  "DirectoryUnusable",
  "NoEmbeddedDatabase",
  "OpenDirectory",
  "ProgramFailed",
  "RefusedTransfer",
  "UnfitSession",
]);

/** Codes of the system, as for a file that is not there, and of arguments that are not understood. */
const systemCodes = /^(?:E[A-Z]+|ERR_PARSE_ARGS_\w+)$/;

/** Why a command failed, in one sentence; with `--debug`, where it failed and what was said follows. */
export function describeFailure({ io, state }: CommandContext, error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const sentence = explained.has(error.name)
    ? error.message
    : (describeDatabaseFailure(error) ??
      describeSystemFailure(error) ??
      (state.isConnected ? describeMisunderstanding(error) : undefined) ??
      describeUnknown(error));
  const isDebugging = state.isDebugging || asksForDebugging(io.environment);
  return isDebugging ? `${sentence}\n${inspect(error, { depth: 4, colors: false })}` : sentence;
}

/** Whether an environment asks for failures to be explained to developers too; its settings may be invalid. */
const asksForDebugging = (environment: NodeJS.ProcessEnv): boolean =>
  /^(?:debug|trace)$/.test(environment.PARLEY_LOG_LEVEL ?? "");

function describeSystemFailure(error: Error): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code !== undefined && systemCodes.test(code)) {
    const [, reason] = /^\w+: ([^,]+), /.exec(error.message) ?? [];
    return path === undefined || reason === undefined
      ? error.message || code
      : `${path}: ${reason} (${code})`;
  }
  return error.cause instanceof Error ? describeSystemFailure(error.cause) : undefined;
}

function describeUnknown({ message }: Error): string {
  const [line = ""] = message.split("\n");
  return `${line || "it failed"} (see --debug)`;
}

/** Prints why a command failed, in one sentence; returns what the process exits with. */
export function reportFailure(context: CommandContext, error: unknown): number {
  reportLine(context.io, `parley: ${describeFailure(context, error)}`);
  return error instanceof CommandError ? error.exitCode : 1;
}

/** What to do about a PostgreSQL that refuses, by the beginning of its SQLSTATE or the system's code. */
const cures: readonly (readonly [code: RegExp, cure: string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "correct the host in DATABASE_URL"],
  [/^08P01$/, "connect Parley to PostgreSQL itself, not to a pooler"],
  [/^28/, "correct user and password in DATABASE_URL, or allow them in pg_hba.conf"],
  [/^3D/, "create it (createdb), or correct its name in DATABASE_URL"],
  [
    /^42501$/,
    "make the user of DATABASE_URL the owner of the database (alter database … owner to …), or " +
      "grant it create on the database and on its schema public",
  ],
  [/^25006$/, "DATABASE_URL must point to a primary that accepts writes"],
  [/^53300$/, "raise max_connections of PostgreSQL, or lower PARLEY_DATABASE_POOL"],
  [/^53100$/, "free space on the disk of PostgreSQL"],
  [/^57P/, "start again once PostgreSQL is up"],
];
/** What a server without TLS, and one whose certificate is not trusted, make of a connection. */
const TLS = /SSL|certificate/;
const TLS_CURE = "correct sslmode in DATABASE_URL, or the certificate of PostgreSQL";
const UNREACHED = "start PostgreSQL there, or correct DATABASE_URL";

/** Codes of errors that only PostgreSQL and connections to it have. */
const SQLSTATE = /^(?:08|28|3D|53|57|58)[0-9A-Z]{3}$|^42501$|^25006$/;

/** Why PostgreSQL cannot be used, and what to do about it; undefined for other errors. */
export function describeDatabaseFailure(error: Error): string | undefined {
  const root = rootOf(error);
  const { code = "" } = root as NodeJS.ErrnoException;
  if (TLS.test(root.message)) return `the database cannot be used: ${root.message}: ${TLS_CURE}`;
  const reason = reasonOfUnavailable(error) ?? (SQLSTATE.test(code) ? root.message : undefined);
  if (reason === undefined) return undefined;
  const cure = cures.find(([of]) => of.test(code))?.[1] ?? UNREACHED;
  return `the database cannot be used: ${reason}: ${cure}`;
}

/** The first cause; of a host with several addresses, the one of its first address. */
function rootOf(error: Error): Error {
  const next: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return next instanceof Error ? rootOf(next) : error;
}

/** As tRPC's client names answers that it cannot read. */
const UNREADABLE = /^(?:Unable to transform response from server|Missing result)/;

/**
 * Says that a server answered what no command understands, if that is why something failed: reading the answer has
 * thrown an error of the language. Errors of the network have codes.
 */
export function describeMisunderstanding(error: Error): string | undefined {
  const innermost = innermostOf(error);
  if (typeof (innermost as { code?: unknown }).code === "string") return undefined;
  const isUnread =
    innermost instanceof TypeError ||
    innermost instanceof SyntaxError ||
    UNREADABLE.test(innermost.message);
  if (!isUnread) return undefined;
  return (
    "The server's answer cannot be read: check that PARLEY_URL is the URL of a Parley server, " +
    "and that no proxy changes its answers"
  );
}

function innermostOf(error: Error): Error {
  return error.cause instanceof Error ? innermostOf(error.cause) : error;
}
