import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine, plain, printLine, reportLine } from "@parley/command/print";
import { green, red, yellow } from "@parley/command/style";
import type { LocalFunctions } from "@parley/worker/local-functions";
import type { Context } from "../connection/context.ts";
import { readCases } from "./function-case.ts";
import { type FunctionFolder, readFunctionFolder } from "./read-function-folder.ts";
import { type CaseReport, openLocal, prepareFolder, runCases } from "./run-cases.ts";

/** Runs the cases beside a function's code, without a server. Throws `CommandError` if one fails. */
export async function testFunction(
  context: Context,
  place: string,
  options: { readonly record?: true; readonly json?: true },
): Promise<void> {
  const { io } = context;
  const folder = await readFunctionFolder(place);
  const cases = await readCases(place);
  if (cases.length === 0) {
    throw new CommandError(`${place}: has no cases; write one as hello.case.json`);
  }
  const reports: CaseReport[] = [];
  const isRecording = options.record === true;
  await using local = await openLocal(context);
  const prepared = await prepareFolder(local, folder);
  for await (const report of runCases(context, { place, folder, cases, isRecording, prepared })) {
    reports.push(report);
    if (options.json) continue;
    for (const line of renderReport(io, report)) printLine(io, line);
  }
  if (options.json) printLine(io, JSON.stringify({ cases: reports }));
  requirePassed(reports);
}

/** A function's folder that was read. */
interface ReadFolder {
  readonly place: string;
  readonly folder: FunctionFolder;
  /** What its files are called in messages, as in `functions/greet/`. */
  readonly prefix: string;
}

/** Runs the cases of a folder that is pushed, if it has any. Throws `CommandError` if one fails. */
export async function testBeforePush(
  context: Context,
  place: string,
  folder: FunctionFolder,
): Promise<void> {
  const more = "nothing was pushed; --no-test pushes it anyway";
  await testFolders(context, [{ place, folder, prefix: "" }], more);
}

/**
 * Runs the cases of folders, of those that have any, one folder after the other. Throws `CommandError`, which says `more`, if
 * one fails.
 */
export async function testFolders(
  context: Context,
  folders: readonly ReadFolder[],
  more: string,
): Promise<void> {
  const { io } = context;
  const reports: CaseReport[] = [];
  await using opened = new AsyncDisposableStack();
  let local: LocalFunctions | undefined;
  for (const { place, folder, prefix } of folders) {
    try {
      const cases = await readCases(place);
      if (cases.length === 0) continue;
      local ??= opened.use(await openLocal(context));
      const prepared = await prepareFolder(local, folder);
      for await (const report of runCases(context, { place, folder, cases, prepared })) {
        reports.push({ ...report, file: `${prefix}${report.file}` });
      }
    } catch (error) {
      if (!(error instanceof CommandError) || prefix === "") throw error;
      throw new CommandError(`${prefix.slice(0, -1)}: ${error.message}`, { cause: error.cause });
    }
  }
  for (const report of reports) {
    if (report.status !== "failed") continue;
    for (const line of renderReport(io, report, "stderr")) reportLine(io, line);
  }
  requirePassed(reports, more);
}

/** Throws `CommandError` if a case failed, which says `more`. */
export function requirePassed(reports: readonly CaseReport[], more?: string): void {
  const failed = reports.filter(({ status }) => status === "failed").length;
  if (failed === 0) return;
  const told = `${failed} of ${reports.length} cases failed`;
  throw new CommandError(more === undefined ? told : `${told}: ${more}`);
}

const colours = { passed: green, failed: red, recorded: yellow } as const;

/** The lines that show a case; what it printed only if it failed. */
export function renderReport(
  io: Io,
  { name, file, status, faults, diff, lines }: CaseReport,
  target: "stdout" | "stderr" = "stdout",
): string[] {
  const title = `${colours[status](io, status, target)}: ${oneLine(name)}`;
  if (status !== "failed") return [title];
  return [
    `${title} (${file})`,
    ...faults.map((fault) => `  ${plain(fault)}`),
    ...diff.map((line) => `    ${plain(line)}`),
    ...lines.map((line) => `  printed: ${oneLine(line)}`),
  ];
}
