import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { reportFailure } from "@parley/command/failures";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import type { PreparedFunction } from "@parley/worker/local-functions";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { repeatOnChange } from "../terminal/repeat-on-change.ts";
import { importsSchemaTypes } from "./editor-files.ts";
import { readCases } from "./function-case.ts";
import { readJson } from "./parse-file.ts";
import { pushFolder } from "./push-function.ts";
import {
  type FunctionFolder,
  readFunctionFolder,
  requireFunctionFolder,
} from "./read-function-folder.ts";
import { renderJson } from "./render-functions.ts";
import { openLocal, prepareFolder, readSecretValues, runCases } from "./run-cases.ts";
import { isWrittenFromSchemas, renderSchemaTypes, SCHEMA_FILE } from "./schema-types.ts";
import { renderReport, requirePassed } from "./test-function.ts";

interface Development {
  /** The folder's path. */
  readonly place: string;
  /** A file with an input that is run after the cases, with the network. */
  readonly input: string | undefined;
  /** Where it is pushed when all cases pass. */
  readonly connection: ServerConnection | undefined;
  readonly json: true | undefined;
}

/**
 * Runs a function here after each change of its folder until Ctrl-C: writes the types of its schemas, runs its cases and an
 * input, and pushes it if asked to. What is wrong is said, and the next change awaited.
 */
export async function developFunction(
  context: Context,
  place: string,
  options: ServerOptions & { readonly input?: string; readonly push?: true },
): Promise<void> {
  await requireFunctionFolder(place);
  const connection = options.push === true ? await connectForPushes(context, options) : undefined;
  const { input, json } = options;
  const work = async (): Promise<void> => {
    try {
      await runOnce(context, { place, input, connection, json });
    } catch (error) {
      reportFailure(context, error);
    }
    reportLine(context.io, "Waiting for changes; Ctrl-C ends this");
  };
  await repeatOnChange(context.io, place, work, (file) => path.basename(file) !== SCHEMA_FILE);
}

/** A server that is there, and a key that may push. */
async function connectForPushes(
  context: Context,
  options: ServerOptions,
): Promise<ServerConnection> {
  const connection = await connect(context, options);
  const { rpc, wId } = connection;
  await callServer(rpc.functionSecrets.list.query({ wId }));
  return connection;
}

async function runOnce(
  context: Context,
  { place, input, connection, json }: Development,
): Promise<void> {
  const { io } = context;
  const folder = await readFunctionFolder(place);
  await writeTypes(context, place, folder);
  const cases = await readCases(place);
  await using local = await openLocal(context);
  const prepared = await prepareFolder(local, folder);
  const reports = [];
  for await (const report of runCases(context, { place, folder, cases, prepared })) {
    reports.push(report);
    for (const line of renderReport(io, report)) printLine(io, line);
  }
  if (input !== undefined) await runInput(context, { file: input, folder, prepared });
  requirePassed(reports);
  if (connection !== undefined) await pushFolder(connection, folder, { json });
}

/** Writes the types of the schemas beside code that imports them, if they are others than before; never over an author's. */
async function writeTypes(
  { io }: Context,
  place: string,
  { files, definition }: FunctionFolder,
): Promise<void> {
  if (!importsSchemaTypes(files)) return;
  const file = path.join(place, SCHEMA_FILE);
  const types = renderSchemaTypes(definition);
  const before = await readFile(file, "utf8").catch(() => undefined);
  if (before === types || (before !== undefined && !isWrittenFromSchemas(before))) return;
  // A link in somebody's folder is replaced, not followed.
  await rm(file, { force: true });
  await writeFile(file, types, { flag: "wx" });
  printLine(io, `written: ${file}`);
}

/** Runs a function with the input of a file, and prints what comes of it. */
async function runInput(
  context: Context,
  given: { file: string; folder: FunctionFolder; prepared: PreparedFunction },
): Promise<void> {
  const { io } = context;
  const { file, folder, prepared } = given;
  const input = readJson(await readFile(file, "utf8"), file);
  const { outcome } = await prepared.run({
    input,
    timezone: "UTC",
    secrets: readSecretValues(context, folder),
    fetches: undefined,
    onLine: ({ text }) => reportLine(io, oneLine(text)),
  });
  if (outcome.status === "succeeded") return printLine(io, renderJson(outcome.result));
  const { code, message } = outcome.error;
  throw new CommandError(`${file}: ended with ${code}: ${message}`);
}
