import { setTimeout as sleep } from "node:timers/promises";
import { eventually, startProgram, within } from "../../programs.ts";
import { runCli } from "../run-cli.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { type Entry, typedIn } from "./entry.ts";

/** A command that is run, and where. */
export interface Run {
  readonly main: string;
  readonly args: readonly string[];
  readonly entry: Entry;
  readonly cwd: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Ids of the server before it, of which it may remove some. */
  readonly ids: readonly string[];
  /** Called when it has printed what it prints before Ctrl-C. */
  readonly onPrinted?: (() => void) | undefined;
}

/** What a command printed, and how it ended. */
export interface Outcome {
  /** The exit code; a word for the signal that ended it. */
  readonly exit: number | "Ctrl-C";
  readonly stdout: string;
  readonly stderr: string;
}

/** Nothing takes longer, and nothing that prompts in a pipe ever ends. */
const PATIENCE_MS = 60_000;
/** How long a command has to say what it does about a server that is gone. */
const GONE_MS = 4000;

/** Runs a command whose input and output are pipes. */
export async function runInPipe(run: Run): Promise<Outcome> {
  const { entry, cwd, settings, main, args } = run;
  const input = typedIn(entry.input ?? "", settings);
  const program = startProgram(args, settings, { cwd, main: [main], input });
  let hasEnded = false;
  void program.exited.then(() => (hasEnded = true));
  let isStopped = false;
  const awaited = entry.until ?? (run.onPrinted && entry.diesOnce);
  if (awaited !== undefined) {
    await eventually(
      async () => (hasEnded || awaited.test(program.output.stdout) ? { value: true } : {}),
      PATIENCE_MS,
    ).catch((cause: unknown) => {
      throw new Error(`${args.join(" ")}: ${JSON.stringify(program.output)}`, { cause });
    });
    isStopped = !hasEnded && (await stop(run, program));
  }
  const code = await within(PATIENCE_MS, program.exited).catch((error: unknown) => {
    program.signal("SIGKILL");
    throw new Error(`${args.join(" ")} does not end: ${JSON.stringify(program.output)}`, {
      cause: error,
    });
  });
  return { exit: isStopped || code === null ? "Ctrl-C" : code, ...program.output };
}

/**
 * Whether a command can run in the process of its test. Servers are processes, completion prints to its own, and the
 * doctor looks at what is installed with it.
 */
export const mayRunInside = ({ command, opens = "server", until }: Entry): boolean =>
  opens === "server" && until === undefined && command !== "doctor";

/** Runs a command as in a pipe, from its sources in this process. */
export async function runInside({ entry, cwd, settings, args }: Run): Promise<Outcome> {
  const stdin = typedIn(entry.input ?? "", settings);
  const { code, ...output } = await runCli(args, { stdin, environment: settings, cwd });
  return { exit: code ?? "Ctrl-C", ...output };
}

/** Lets what comes after the first output happen, then ends the command as Ctrl-C does. */
async function stop(
  { onPrinted }: Run,
  program: { exited: Promise<unknown>; signal(name: NodeJS.Signals): void },
): Promise<boolean> {
  if (onPrinted !== undefined) {
    onPrinted();
    const gone = await Promise.race([program.exited.then(() => true), sleep(GONE_MS, false)]);
    if (gone) return false;
  }
  program.signal("SIGINT");
  // The first one may ask the server to cancel something, and wait for that.
  const ended = await Promise.race([program.exited.then(() => true), sleep(GONE_MS, false)]);
  if (!ended) program.signal("SIGINT");
  return true;
}

/** What a person sees of a command. */
export interface Screen {
  readonly exit: number | "Ctrl-C";
  readonly text: string;
  /** With its escape sequences. */
  readonly written: string;
}

/** Waits for what it shows, wherever the terminal wraps it. */
const shows = async (terminal: Terminal, wanted: string | RegExp): Promise<boolean> =>
  eventually(
    async () => (new RegExp(wanted).test(terminal.unwrapped()) ? { value: true } : {}),
    PATIENCE_MS,
  ).catch((cause: unknown) => {
    throw new Error(`${String(wanted)} never came:\n${terminal.unwrapped()}`, { cause });
  });

/** Runs a command on a terminal of 80 columns. */
export async function runOnTerminal({ main, args, entry, cwd, settings }: Run): Promise<Screen> {
  const terminal = openTerminal(args, { columns: 80, rows: 40, settings, cwd, main: [main] });
  let isStopped = false;
  const typed = entry.confirmed;
  const confirmation = typed === undefined ? [] : ([["to confirm:", `${typed}\r`]] as const);
  for (const [question, keys] of [...(entry.asked ?? []), ...confirmation]) {
    await shows(terminal, question);
    terminal.write(typedIn(keys, settings));
  }
  if (entry.until !== undefined) {
    await shows(terminal, entry.until);
    terminal.write("\u0003");
    isStopped = true;
  }
  const code = await within(PATIENCE_MS, terminal.exited);
  return {
    exit: isStopped ? "Ctrl-C" : code,
    text: terminal.unwrapped(),
    written: terminal.written(),
  };
}
