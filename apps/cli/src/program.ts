import tab from "@bomb.sh/tab/commander";
import { Command, CommanderError } from "commander";
import { describeClientSettings, startDebugging } from "./config.ts";
import { createConversationCommands } from "./conversations/commands.ts";
import { createConnectionCommands } from "./connection/commands.ts";
import { createFunctionCommands } from "./functions/commands.ts";
import { printLine } from "./print.ts";
import { readVersion } from "./read-version.ts";
import { renderSettings } from "./render-settings.ts";
import { createServerCommands } from "./server/commands.ts";
import { createSkillCommands } from "./skills/commands.ts";
import { createToolCommands } from "./tools/commands.ts";

/** Makes the whole command `parley`. Where arguments are wrong, parsing throws `CommanderError`. */
export function createProgram(): Command {
  const program = new Command("parley")
    .description("An open server for conversational agents, and a client of it")
    .option("-v, --version", "print the version")
    .on("option:version", () => {
      printLine(readVersion());
      process.exit();
    })
    .addHelpText("after", help);
  program.commandsGroup("On the machine of a server:");
  for (const command of createServerCommands()) program.addCommand(command as Command);
  program.commandsGroup("With a running server:");
  for (const command of [
    ...createConnectionCommands(),
    ...createConversationCommands(),
    createSkillCommands(),
    createFunctionCommands(),
    createToolCommands(),
  ]) {
    program.addCommand(command as Command);
  }
  tab(program, { completionCommandName: "completion" });
  finish(program);
  program.hook("preAction", (_program, action) => {
    if (action.opts()["debug"] === true) startDebugging();
  });
  return program;
}

const help = () => `
parley serve --help names the settings of a server. A command that calls one finds it in this order: its options, the
environment, a profile of parley login, the demo in PARLEY_DATA_DIR.

Environment:
${renderSettings(describeClientSettings())}

Exit codes: 0 done; 1 failed; 2 called wrongly, and nothing was done.`;

/** Errors are thrown, and said by whom they reach. */
function finish(command: Command): void {
  command
    .helpOption("-h, --help", "print this text")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  if (command.commands.length === 0) {
    command.option("--debug", "say more about a failure");
  }
  for (const one of command.commands) finish(one);
}

export { CommanderError };
