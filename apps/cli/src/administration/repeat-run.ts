import { CommandError } from "@parley/command/command-error";
import { oneLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import type { RunDetails } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import type { Answer } from "../grammar/endpoint-calls.ts";
import { nounCommand } from "../grammar/noun.ts";
import { printDone } from "../grammar/one-commands.ts";

/** Makes `rerun`: an invocation with its input again, or another version of an agent's answer. */
export const rerunCommand = (context: Context) =>
  nounCommand("rerun", "run an ended invocation again with its input, or regenerate an answer")
    .argument("<run>", "id of the invocation or of the agent's message")
    .action(async (runId: string, options: ServerOptions) => {
      const connection = await connect(context, options);
      const run = await callServer(connection.rpc.runs.get.query({ wId: connection.wId, runId }));
      if (run.endedAt === null) {
        throw new CommandError(
          `${oneLine(runId)} has not ended; cancel it with parley runs cancel ${oneLine(runId)}`,
        );
      }
      const { id, answer } = await callServer(repeat(connection, run));
      printDone(context.io, `started: ${id}`, answer, options);
    });

async function repeat(
  { rpc, wId }: ServerConnection,
  { id, kind, function: called, conversationId, messageId, input }: RunDetails,
): Promise<{ readonly id: string; readonly answer: Answer }> {
  if (kind === "turn" && conversationId !== null && messageId !== null) {
    const retried = await rpc.messages.retry.mutate({ wId, cId: conversationId, mId: messageId });
    return { id: retried.message.sId, answer: { ...retried } };
  }
  if (kind === "invocation" && called !== null) {
    const { sId: functionId } = called;
    const begun = await rpc.sandboxFunctions.invoke.mutate({
      wId,
      functionId,
      input: input as never,
    });
    return { id: begun.invocation.sId, answer: { ...begun } };
  }
  throw new CommandError(`${id} is a ${kind}: only invocations and answers are run again`);
}
