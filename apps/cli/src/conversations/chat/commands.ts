import { Command } from "@commander-js/extra-typings";
import { withServer } from "../../connection/server-options.ts";
import type { Context } from "../../connection/context.ts";

/** The command that talks to agents on a terminal. */
export const createChatCommand = (context: Context) =>
  withServer(new Command("chat"))
    .description("talk to agents on a terminal")
    .argument("[agent]", "id or name; a terminal is asked for it")
    .option("--conversation <id>", "continue this conversation")
    .option("--reasoning", "show the reasoning of models, dimmed")
    .option(
      "--once [message]",
      "send one message as parley ask does; - or nothing reads standard input",
    )
    .addHelpText(
      "after",
      `
/help shows what can be typed. Ctrl-C cancels an answer; at the prompt it clears the line, and twice it leaves.
Without a terminal only --once works. Exit codes of --once are those of parley ask.`,
    )
    .action(async (agent, options) => (await import("./chat.ts")).chat(context, agent, options));
