import { inspectSettings, loadServerEnvironment } from "../config.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { describeFailure } from "../describe-failure.ts";
import { environmentFile } from "../environment.ts";
import { printLine } from "../print.ts";
import { BadConfiguration } from "../setting-faults.ts";
import { green, red, yellow } from "../terminal/style.ts";
import { type Check, checks } from "./checks.ts";
import { fail, failBy, type Finding, type Level } from "./finding.ts";
import { lookAround, type Surroundings } from "./surroundings.ts";
import type { Context } from "../context.ts";
import type { Io } from "../io.ts";

/** Longer than the slowest check: a process of the sandbox has ten seconds to start. */
const CHECK_MS = 15_000;

const paints = { ok: green, warn: yellow, fail: red } satisfies Record<Level, unknown>;

/**
 * Looks at everything that a server and its commands need here, changes nothing, and prints what it finds with
 * the cures. The exit code is 1 where something fails.
 */
export async function runDoctor(context: Context, options: ServerOptions): Promise<void> {
  const { io, state } = context;
  const surroundings = lookAround(context, readSurroundings(io), options);
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
  else printLine(io, `\n${findings.length} checks: ${failed} failed, ${warned} with a warning`);
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
  context: Context,
  { what, find }: Check,
  around: Surroundings,
): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<readonly Finding[]>();
  const timer = setTimeout(() => {
    const seconds = CHECK_MS / 1000;
    const cure = "look at the load of the machine and at its network, and run it again";
    late.resolve([fail(what, `it did not answer within ${seconds} s`, cure)]);
  }, CHECK_MS);
  try {
    return await Promise.race([find(around), late.promise]);
  } catch (error) {
    return [
      failBy(what, describeFailure(context, error), "parley doctor --debug says where it failed"),
    ];
  } finally {
    clearTimeout(timer);
  }
}

function printFinding(io: Io, { level, what, finding, cure }: Finding): void {
  printLine(io, `${paints[level](io, level.padEnd(4))} ${what}: ${finding}`);
  if (cure !== undefined) printLine(io, `     cure: ${cure}`);
}
