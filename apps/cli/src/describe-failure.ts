import { inspect } from "node:util";
import { describeDatabaseFailure } from "./database-failure.ts";
import { describeMisunderstanding } from "./describe-misunderstanding.ts";
import { asksForDebugging } from "./config.ts";
import type { Context } from "./context.ts";

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
export function describeFailure({ io, state }: Context, error: unknown): string {
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
  return `${line || "it failed"} (--debug says where)`;
}
