import tab from "@bomb.sh/tab/commander";
import { Command as TypedCommand } from "@commander-js/extra-typings";
import { calledWrongly } from "@parley/command/command-error";
import { describeClientSettings } from "@parley/command/client-settings";
import type { Io } from "@parley/command/io";
import { printLine } from "@parley/command/print";
import { renderSettings } from "@parley/command/settings";
import { hasColours } from "@parley/command/style";
import {
  createBootstrapCommand,
  createDoctorCommand,
  createServerCommands,
  settingNames,
} from "@parley/server/commands";
import { Command, CommanderError } from "commander";
import { createAgentCommands } from "./administration/agents.ts";
import { createApprovalCommands } from "./administration/approvals.ts";
import { createAuditCommands } from "./administration/audit.ts";
import { createBudgetCommands, createServerBudgetCommands } from "./administration/budgets.ts";
import { createConversationAdministration } from "./administration/conversations.ts";
import { createCredentialCommands } from "./administration/credentials.ts";
import { createFeedbackCommands } from "./administration/feedback.ts";
import { createFileCommands } from "./administration/files.ts";
import { createKeyCommands } from "./administration/keys.ts";
import { createMemberCommands } from "./administration/members.ts";
import { createModelCommands } from "./administration/models.ts";
import { createOperatorKeyCommands } from "./administration/operator-keys.ts";
import { createPriceCommands, createServerPriceCommands } from "./administration/prices.ts";
import { createRunCommands } from "./administration/runs.ts";
import { createSpaceCommands } from "./administration/spaces.ts";
import { createAlertCommands } from "./administration/alerts.ts";
import { createMemoryCommands } from "./administration/memories.ts";
import { createOverviewCommand } from "./administration/overview.ts";
import { createUsageCommand } from "./administration/usage.ts";
import { createTriggerCommands } from "./administration/triggers.ts";
import { createUserCommands } from "./administration/user-tokens.ts";
import { createWebhookCommands } from "./administration/webhooks.ts";
import { createWorkspaceCommands } from "./administration/workspaces.ts";
import { createChatCommand } from "./conversations/chat/commands.ts";
import { createConversationCommands } from "./conversations/commands.ts";
import { completeNames } from "./completion/complete-names.ts";
import type { Connect } from "./connection/clients.ts";
import type { Context } from "./connection/context.ts";
import { createConnectionCommands } from "./connection/commands.ts";
import { examplesOf, examplesOfGroup, firstExamples } from "./examples/examples-of.ts";
import { createFunctionCommands } from "./functions/commands.ts";
import { createKnowledgeCommands } from "./knowledge/commands.ts";
import { readVersion } from "./read-version.ts";
import { createTraceCommands } from "./traces/commands.ts";
import { createScheduleCommands } from "./schedules/commands.ts";
import { createSkillCommands } from "./skills/commands.ts";
import { withServer } from "./connection/server-options.ts";
import { createToolCommands } from "./tools/commands.ts";
import { createWorkspaceFolderCommands } from "./workspace-folders/commands.ts";

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

/** Makes the whole command `parley`. If arguments are wrong, parsing throws `CommanderError`. */
export function createProgram(context: Context): Command {
  const { io, state } = context;
  const program = new Command("parley")
    .description("An open server for conversational agents, and its client")
    .option("-v, --version", "show the version")
    .on("option:version", () => {
      printLine(io, readVersion());
      throw new CommanderError(0, "commander.version", "");
    })
    .addHelpText("after", help);
  program.commandsGroup("On the server's machine:");
  const doctor = createDoctorCommand(
    context,
    withServer(new TypedCommand("doctor")),
    async (options) =>
      (await import("./connection/called-server.ts")).openCalledServer(context, options),
  );
  for (const command of [...createServerCommands(context), doctor]) {
    program.addCommand(command as Command);
  }
  program.commandsGroup("With a running server:");
  for (const command of [
    ...createConnectionCommands(context),
    createChatCommand(context),
    ...createConversationCommands(context),
    createConversationAdministration(context),
    createRunCommands(context),
    createApprovalCommands(context),
    createAgentCommands(context),
    createFeedbackCommands(context),
    createSkillCommands(context),
    createFunctionCommands(context),
    createToolCommands(context),
    createFileCommands(context),
    createKnowledgeCommands(context),
    createSpaceCommands(context),
    createMemberCommands(context),
    createUserCommands(context),
    createKeyCommands(context, [createBootstrapCommand(context)]),
    createModelCommands(context),
    createCredentialCommands(context),
    createPriceCommands(context),
    createBudgetCommands(context),
    createScheduleCommands(context),
    createTriggerCommands(context),
    createWebhookCommands(context),
    createTraceCommands(context),
    createAuditCommands(context),
    createAlertCommands(context),
    createMemoryCommands(context),
    createOverviewCommand(context),
    createUsageCommand(context),
    createWorkspaceCommands(context),
    createOperatorKeyCommands(context),
    createServerPriceCommands(context),
    createServerBudgetCommands(context),
    ...createWorkspaceFolderCommands(context),
  ]) {
    program.addCommand(command as Command);
  }
  program.addCommand(createHelpCommand(program));
  completeNames(context, program, tab(program, { completionCommandName: "completion" }));
  finish(program, io);
  program.hook("preAction", (_program, action) => {
    if (action.opts()["debug"] === true) state.isDebugging = true;
  });
  return program;
}

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
