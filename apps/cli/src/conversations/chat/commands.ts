import { Command } from "@commander-js/extra-typings";
import { withServer } from "../../connection/server-options.ts";
import type { Context } from "../../connection/context.ts";

/** The command that talks to agents on a terminal. */
export const createChatCommand = (context: Context) =>
  withServer(new Command("chat"))
    .description("chat with agents in the terminal")
    .argument("[agent]", "id or name; prompts if omitted")
    .option("--conversation <id>", "continue this conversation")
    .option("--reasoning", "show the model's reasoning, dimmed")
    .option(
      "--once [message]",
      "send one message like parley ask; - or nothing reads standard input",
    )
    .addHelpText(
      "after",
      `
/help lists the commands. Ctrl-C cancels an answer; at the prompt it clears the line, and pressed twice it leaves.
Without a terminal only --once works; its exit codes are those of parley ask.`,
    )
    .action(async (agent, options) => (await import("./chat.ts")).chat(context, agent, options));
