import { printLine, reportLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { readLimit } from "../grammar/list-command.ts";
import { nounCommand } from "../grammar/noun.ts";
import { printAnswer } from "../grammar/one-commands.ts";

/** Messages that a person is shown. */
const NEWEST = 20;

interface GetOptions extends ServerOptions {
  readonly limit?: number;
  readonly before?: string;
}

/** Makes `get`: what was said in a conversation, for people; with `--json` what the server answers. */
export const getConversationCommand = (context: Context) =>
  nounCommand("get", "show what was said in a conversation, with tool calls, files and sources")
    .argument("<conversation>", "id")
    .option(
      "--limit <messages>",
      `only the newest, 100 at most; ${NEWEST} by default, all with --json`,
      readLimit,
    )
    .option("--before <position>", "only those before this position, as a transcript ends with it")
    .action(async (conversationId: string, options: GetOptions) => {
      const { io } = context;
      const { limit = options.json ? undefined : NEWEST, before: lastValue } = options;
      const { parley } = await connect(context, options);
      const answer = await callServer(
        parley.conversations.get({ conversationId, limit, lastValue }),
      );
      if (options.json) return printAnswer(io, answer, options);
      const { renderTranscript } = await import("../conversations/transcript.ts");
      for (const line of renderTranscript(io, answer.conversation)) printLine(io, line);
      if (!answer.hasMore) return;
      reportLine(io, `There are earlier messages; --before ${answer.lastValue} shows them`);
    });
