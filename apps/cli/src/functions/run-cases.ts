import { isDeepStrictEqual } from "node:util";
import { CommandError } from "@parley/command/command-error";
import { ClientSettings } from "@parley/command/client-settings";
import { readSettingsOf } from "@parley/command/settings";
import { folderKind, type InvocationOutcome } from "@parley/schema";
import type { LocalEnd, LocalFunctions, PreparedFunction } from "@parley/worker/local-functions";
import type { Context } from "../connection/context.ts";
import { describeBundleFaults } from "./code-faults.ts";
import { diffJson } from "./diff-json.ts";
import { type FunctionCase, isExpecting, toRecorded } from "./function-case.ts";
import { secretsOfProgram } from "./function-members.ts";
import type { FunctionFolder } from "./read-function-folder.ts";
import { recordCase } from "./record-case.ts";

/** What came of a case. */
export interface CaseReport {
  readonly name: string;
  readonly file: string;
  readonly status: "passed" | "failed" | "recorded";
  readonly outcome: InvocationOutcome;
  /** Why it failed, a line for each reason. */
  readonly faults: readonly string[];
  /** How the result differs from the expected one. */
  readonly diff: readonly string[];
  /** What the code printed last. */
  readonly lines: readonly string[];
}

const MAX_LINES = 20;
/** Failures of the machine that runs the code. */
const ofMachine: readonly string[] = ["invocation_failed", "overloaded"];

/** Opens what runs functions here. Its code is loaded now: commands without cases do not need it. */
export async function openLocal({ io, serverSettings }: Context): Promise<LocalFunctions> {
  const { openLocalFunctions } = await import("@parley/worker/local-functions");
  const { WorkerSettings } = await import("@parley/worker/config");
  const names = [...serverSettings, ...Object.keys(ClientSettings.shape)];
  const schema = WorkerSettings.pick({ PARLEY_SANDBOX_PRIVATE_HOSTS: true });
  const { PARLEY_SANDBOX_PRIVATE_HOSTS: privateHosts } = readSettingsOf(
    schema,
    io.environment,
    names,
  );
  return openLocalFunctions({ privateHosts });
}

/** Makes what can be run of a folder. Throws `CommandError` for code with errors, and if it has none. */
export async function prepareFolder(
  local: LocalFunctions,
  { definition, files }: FunctionFolder,
): Promise<PreparedFunction> {
  const { program } = definition;
  if (program.type !== folderKind) {
    throw new CommandError(`Only code runs here, and this function is of the kind ${program.type}`);
  }
  const found = await local.prepare({ ...definition, program });
  if ("faults" in found) throw describeBundleFaults(found.faults, files);
  return found.prepared;
}

interface CasesRun {
  /** The folder's path. */
  readonly place: string;
  readonly folder: FunctionFolder;
  readonly cases: readonly FunctionCase[];
  /** Whether cases without fetches are run with the network, and written with what they were answered. */
  readonly isRecording?: boolean;
  /** What was made of the folder. */
  readonly prepared: PreparedFunction;
}

/** Runs cases one after the other, and gives on what came of each. Throws `CommandError` before the first. */
export async function* runCases(
  context: Context,
  { place, folder, cases, isRecording = false, prepared }: CasesRun,
): AsyncGenerator<CaseReport, void, undefined> {
  const isRecorded = (one: FunctionCase): boolean => isRecording && one.fetches === undefined;
  const silent = cases.find((one) => !isExpecting(one) && !isRecorded(one));
  if (silent !== undefined) {
    throw new CommandError(`${silent.file}: needs the result or the error that is expected`);
  }
  const isAsking = cases.some(isRecorded);
  const values = isAsking ? readSecretValues(context, folder) : {};
  for (const one of cases) {
    const lines: string[] = [];
    const secrets = Object.fromEntries(
      secretsOfProgram(folder.definition.program).map((name) => [
        name,
        one.secrets[name] ?? values[name] ?? `value-of-${name}`,
      ]),
    );
    const end = await prepared.run({
      input: one.input,
      timezone: one.timezone,
      secrets,
      fetches: isRecorded(one) ? undefined : (one.fetches ?? []).map(toRecorded),
      onLine: ({ text }) => {
        lines.push(text);
        if (lines.length > MAX_LINES) lines.shift();
      },
    });
    const judged = judge(one, end);
    const { outcome } = end;
    const isFailed = judged.faults.length > 0;
    if (isRecorded(one) && !isFailed) await recordCase(place, one, end);
    const status = isFailed ? "failed" : isRecorded(one) ? "recorded" : "passed";
    yield { name: one.name, file: one.file, status, outcome, ...judged, lines };
  }
}

/** Values of the secrets of a function, from variables of their names: real servers are asked with them. */
export function readSecretValues(
  { io }: Pick<Context, "io">,
  { definition }: FunctionFolder,
): Record<string, string> {
  const entries = secretsOfProgram(definition.program).map((name) => {
    const value = io.environment[name] ?? "";
    if (value !== "") return [name, value];
    throw new CommandError(`Set the environment variable ${name} to the value of the secret`);
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function judge(one: FunctionCase, end: LocalEnd): Pick<CaseReport, "faults" | "diff"> {
  const { faults, diff } = compareOutcome(one, end.outcome);
  return {
    faults: [
      ...faults,
      ...end.unrecorded.map((asked) => `fetched without a recorded answer: ${asked}`),
      ...end.unused.map((asked) => `recorded, but not fetched: ${asked}`),
    ],
    diff,
  };
}

function compareOutcome(
  one: FunctionCase,
  outcome: InvocationOutcome,
): Pick<CaseReport, "faults" | "diff"> {
  if (outcome.status === "errored") {
    const { code, message } = outcome.error;
    const ended = `ended with ${code}: ${message}`;
    // Says nothing of the code.
    if (ofMachine.includes(code)) return { faults: [ended], diff: [] };
    if (!isExpecting(one)) return { faults: [], diff: [] };
    if (one.error === undefined) return { faults: [ended], diff: [] };
    const isSame = code === one.error.code && message.includes(one.error.message ?? "");
    return { faults: isSame ? [] : [`${ended}; expected ${describe(one.error)}`], diff: [] };
  }
  if (!isExpecting(one)) return { faults: [], diff: [] };
  if (one.error !== undefined) {
    return { faults: [`succeeded; expected ${describe(one.error)}`], diff: [] };
  }
  if (isDeepStrictEqual(outcome.result, one.result)) return { faults: [], diff: [] };
  return { faults: ["the result differs"], diff: diffJson(one.result, outcome.result) };
}

const describe = ({ code, message }: NonNullable<FunctionCase["error"]>): string =>
  message === undefined ? code : `${code}: … ${message} …`;
