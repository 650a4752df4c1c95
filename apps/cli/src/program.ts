import tab from "@bomb.sh/tab/commander";
import { calledWrongly } from "@parley/command/command-error";
import { describeClientSettings } from "@parley/command/client-settings";
import type { Io } from "@parley/command/io";
import { printLine } from "@parley/command/print";
import { renderSettings } from "@parley/command/settings";
import { hasColours } from "@parley/command/style";
import { settingNames } from "@parley/server/commands";
import { Command, CommanderError } from "commander";
import { commandGroups } from "./command-groups.ts";
import { completeNames } from "./completion/complete-names.ts";
import type { Connect } from "./connection/clients.ts";
import type { Context } from "./connection/context.ts";
import { examplesOf, examplesOfGroup, firstExamples } from "./examples/examples-of.ts";
import { readVersion } from "./read-version.ts";

/** How wide the text of `--help` is where there is no terminal. */
const HELP_WIDTH = 80;

/** The context of a command that has not begun. */
export const createContext = (io: Io, connect: Connect): Context => ({
  io,
  connect,
  readVersion,
  serverSettings: settingNames,
  state: { isDebugging: false, isConnected: false, isOverdue: false, exitCode: 0 },
});

/**
 * Makes the command `parley` with all commands; if the first word that it is given is one of them, with that alone.
 * If arguments are wrong, parsing throws `CommanderError`.
 */
export function createProgram(context: Context, word?: string): Command {
  const { io, state } = context;
  const program = new Command("parley")
    .description("An open server for conversational agents, and its client")
    .option("-v, --version", "show the version")
    .on("option:version", () => {
      printLine(io, readVersion());
      throw new CommanderError(0, "commander.version", "");
    })
    .addHelpText("after", help);
  const isNamed = commandGroups.some(({ makers }) => makers.some(([words]) => has(words, word)));
  for (const { title, makers } of commandGroups) {
    program.commandsGroup(title);
    for (const [words, make] of makers) {
      if (isNamed && !has(words, word)) continue;
      for (const command of [make(context)].flat()) program.addCommand(command as Command);
    }
  }
  if (!isNamed) {
    program.addCommand(createHelpCommand(program));
    completeNames(context, program, tab(program, { completionCommandName: "completion" }));
  }
  finish(program, io);
  program.hook("preAction", (_program, action) => {
    if (action.opts()["debug"] === true) state.isDebugging = true;
  });
  return program;
}

const has = (words: string, word = ""): boolean => words.split(" ").includes(word);

const help = () => `
parley serve --help lists the server's settings. Client commands look for a server in this order: options, environment,
the profile of parley login, the demo in PARLEY_DATA_DIR.

Environment:
${renderSettings(describeClientSettings())}

Exit codes: 0 done; 1 failed; 2 wrong usage, nothing was done; 3 the answer waits for your decision; 130 cancelled by
Ctrl-C.`;

/** Errors are thrown, and said by whom they reach. */
function finish(command: Command, io: Io): void {
  command
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .exitOverride((error) => {
      throw Object.assign(error, { command: pathOf(command), of: command });
    })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => io.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => io.columns ?? HELP_WIDTH,
      getOutHasColors: () => hasColours(io),
      getErrHasColors: () => hasColours(io, "stderr"),
      outputError: () => {},
    });
  if (command.commands.length === 0) {
    command.option("--debug", "show details of a failure");
  }
  command.addHelpText("after", () => renderExamples(command));
  for (const one of command.commands) finish(one, io);
}

/** The end of a help: what a person would type. */
function renderExamples(command: Command): string {
  const path = pathOf(command);
  const inner = command.commands.map(pathOf);
  const ofCommand = inner.length === 0 ? examplesOf(path) : examplesOfGroup(inner);
  const lines = command.parent === null ? firstExamples : ofCommand;
  return ["\nExamples:", ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Makes the command that shows the help of another. */
function createHelpCommand(program: Command): Command {
  return new Command("help")
    .description("show the help of a command")
    .argument("[command...]", "its words, such as agents create")
    .action((words: readonly string[]) => {
      let shown = program;
      for (const word of words) {
        const next = shown.commands.find((one) => one.name() === word);
        if (next === undefined) throw calledWrongly(pathOf(shown), `unknown command '${word}'`);
        shown = next;
      }
      shown.outputHelp();
    });
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** What is wrong with the arguments, in one line, and where help is. */
export function describeMistake(error: CommanderError): string {
  const { command = "parley" } = error as { readonly command?: string };
  const message = error.message.replaceAll(/^error: |\.$/g, "").replaceAll(/\s+/g, " ");
  return `${message}; see ${command} --help`;
}
