import { Command } from "@commander-js/extra-typings";
import { group } from "@parley/command/group";
import { withServer } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";

const ask = (context: Context) =>
  withServer(new Command("ask"))
    .description("send a message to an agent and print its answer")
    .argument("[message]", "the message; - or nothing reads standard input")
    .option("--agent <agent>", "id or name of the agent; defaults to the conversation's last one")
    .option("--conversation <id>", "continue this conversation")
    .option("--reasoning", "print the model's reasoning to standard error")
    .addHelpText(
      "after",
      `
The answer streams to standard output, everything else goes to standard error. Exit codes: 1 if the answer fails, 3 if
it waits for your decision, 130 if Ctrl-C cancelled it.`,
    )
    .action(async (message, options) => (await import("./ask.ts")).ask(context, message, options));

const load = () => import("./tail.ts");

const conversation = (context: Context) =>
  withServer(new Command("conversation"))
    .description("follow a conversation's messages, until Ctrl-C")
    .argument("<conversation>", "id")
    .action(async (id, options) => (await load()).tailConversation(context, id, options));

const message = (context: Context) =>
  withServer(new Command("message"))
    .description("follow an answer to its end")
    .argument("<conversation>", "id")
    .argument("<message>", "id of the agent's message")
    .action(async (conversationId, messageId, options) =>
      (await load()).tailMessage(context, { conversationId, messageId }, options),
    );

const invocation = (context: Context) =>
  withServer(new Command("invocation"))
    .description("follow an invocation to its end")
    .argument("<function>", "id or slug")
    .argument("<invocation>", "id")
    .action(async (functionId, invocationId, options) =>
      (await load()).tailInvocation(context, { functionId, invocationId }, options),
    );

const runs = (context: Context) =>
  withServer(new Command("runs"))
    .description("print the workspace's runs as they start and change, until Ctrl-C")
    .action(async (options) => (await import("./tail.ts")).tailRuns(context, options));

/** Makes the commands that talk to agents and follow what happens. */
export const createConversationCommands = (context: Context) => [
  ask(context),
  group("tail", "print events as they happen; with --json, one per line", [
    conversation(context),
    message(context),
    invocation(context),
    runs(context),
  ]),
];
