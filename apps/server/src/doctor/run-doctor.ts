import type { CommandContext } from "@parley/command/context";
import { environmentFile } from "@parley/command/environment";
import { describeFailure } from "@parley/command/failures";
import type { Io } from "@parley/command/io";
import { printLine } from "@parley/command/print";
import { BadConfiguration } from "@parley/command/setting-faults";
import { green, red, yellow } from "@parley/command/style";
import { inspectSettings, loadServerEnvironment } from "../config.ts";
import {
  checkDisks,
  checkFileDescriptors,
  checkMemory,
  checkNode,
  checkSandbox,
  checkTools,
} from "./check-machine.ts";
import { checkEncryption } from "./check-encryption.ts";
import {
  checkClocks,
  checkKey,
  checkMetricsPort,
  checkPort,
  checkServer,
  checkSettings,
  checkVersions,
} from "./check-server.ts";
import {
  checkConnections,
  checkDatabase,
  checkDirectory,
  checkObservation,
  checkPrograms,
  checkRedis,
  checkSchedules,
  checkSessions,
  checkTables,
} from "./check-storage.ts";
import { type Finding, type Level, fail, failBy } from "./finding.ts";
import { type CalledServer, lookAround, type Surroundings } from "./surroundings.ts";

/** A look at one thing, which changes nothing. It finds nothing if the thing is not used. */
interface Check {
  readonly what: string;
  readonly find: (around: Surroundings) => Promise<readonly Finding[]>;
}

/** Every check, in the order of the report; they run together. */
const checks: readonly Check[] = [
  { what: "node", find: checkNode },
  { what: "settings", find: checkSettings },
  { what: "data directory", find: checkDirectory },
  { what: "embedded database", find: checkPrograms },
  { what: "database", find: checkDatabase },
  { what: "sessions", find: checkSessions },
  { what: "tables", find: checkTables },
  { what: "connections", find: checkConnections },
  { what: "encryption", find: checkEncryption },
  { what: "schedules", find: checkSchedules },
  { what: "observation", find: checkObservation },
  { what: "redis", find: checkRedis },
  { what: "disk", find: checkDisks },
  { what: "port", find: checkPort },
  { what: "metrics port", find: checkMetricsPort },
  { what: "sandbox", find: checkSandbox },
  { what: "memory", find: checkMemory },
  { what: "file descriptors", find: checkFileDescriptors },
  { what: "programs", find: checkTools },
  { what: "server", find: checkServer },
  { what: "key", find: checkKey },
  { what: "versions", find: checkVersions },
  { what: "clock", find: checkClocks },
];

/** Longer than the slowest check: a process of the sandbox has ten seconds to start. */
const CHECK_MS = 15_000;

const paints = { ok: green, warn: yellow, fail: red } satisfies Record<Level, unknown>;

/**
 * Looks at everything that a server and its commands need here, changes nothing, and prints what it finds with
 * the cures. The exit code is 1 if something fails.
 */
export async function runDoctor(
  context: CommandContext,
  called: CalledServer,
  options: { readonly json: boolean | undefined },
): Promise<void> {
  const { io, state } = context;
  const surroundings = lookAround(context, readSurroundings(io), called);
  const running = checks.map((check) => runCheck(context, check, surroundings));
  const findings: Finding[] = [];
  // In their order, each as soon as those before it are done.
  for (const check of running) {
    const found = await check;
    findings.push(...found);
    if (!options.json) for (const one of found) printFinding(io, one);
  }
  const count = (level: Level): number => findings.filter((one) => one.level === level).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (options.json) printLine(io, JSON.stringify({ checks: findings, failed, warned }));
  else printLine(io, `\n${findings.length} checks: ${failed} failed, ${warned} with warnings`);
  state.exitCode = failed > 0 ? 1 : 0;
}

/** The settings, of `.env` too, with everything that is wrong with them. */
function readSurroundings(io: Io): Pick<Surroundings, "settings" | "faults" | "file"> {
  const ofFile: string[] = [];
  try {
    loadServerEnvironment(io);
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error;
    ofFile.push(error.message);
  }
  const { settings, faults } = inspectSettings(io.environment);
  return { settings, faults: [...ofFile, ...faults], file: environmentFile(io.environment) };
}

async function runCheck(
  context: CommandContext,
  { what, find }: Check,
  around: Surroundings,
): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<readonly Finding[]>();
  const timer = setTimeout(() => {
    const seconds = CHECK_MS / 1000;
    const cure = "check the machine's load and network, then run it again";
    late.resolve([fail(what, `it did not answer within ${seconds} s`, cure)]);
  }, CHECK_MS);
  try {
    return await Promise.race([find(around), late.promise]);
  } catch (error) {
    return [
      failBy(what, describeFailure(context, error), "see the details with parley doctor --debug"),
    ];
  } finally {
    clearTimeout(timer);
  }
}

function printFinding(io: Io, { level, what, finding, cure }: Finding): void {
  printLine(io, `${paints[level](io, level.padEnd(4))} ${what}: ${finding}`);
  if (cure !== undefined) printLine(io, `     cure: ${cure}`);
}
