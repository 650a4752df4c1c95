import { group } from "@parley/command/group";
import type { BlockedAction, ValidateAction } from "@parley/schema";
import { oneLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn, nounCommand } from "../grammar/noun.ts";
import { waitingCalls as noun } from "../grammar/nouns.ts";
import { getCommand, printDone } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";

const find = findIn(noun);
const by = "id of the call, or its tool's name if no other call of it waits";

const waitsFor: Readonly<Record<BlockedAction["status"], string>> = {
  blocked_validation_required: "approval",
  blocked_user_answer_required: "answer",
  blocked_authentication_required: "permission",
};

interface Decision {
  readonly name: "approve" | "reject";
  readonly about: string;
  readonly did: string;
}

interface DecisionOptions extends ServerOptions {
  readonly always?: true;
}

/** Makes `approve` or `reject`. */
function decisionCommand(context: Context, { name, about, did }: Decision) {
  const command = nounCommand(name, about).argument("<call>", by);
  if (name === "approve") {
    command.option("--always", "let later calls of the tool for the same user pass, too");
  }
  return command.action(async (reference: string, options: DecisionOptions) => {
    const connection = await connect(context, options);
    const { rpc, wId } = connection;
    const { item, id: actionId } = await callServer(find(connection, reference));
    // It was found in the list of those that wait.
    const { conversationId: cId, messageId: mId, metadata } = item as BlockedAction;
    const approved: ValidateAction["approved"] =
      name === "reject" ? "rejected" : options.always ? "always_approved" : "approved";
    const deciding = rpc.messages.validateAction.mutate({ wId, cId, mId, actionId, approved });
    const answer = await callServer(deciding);
    const done = `${did}: ${oneLine(metadata.toolName)} (${actionId})`;
    printDone(context.io, done, { ...answer }, options);
  });
}

/** Makes the commands about the tool calls that wait for a person. */
export const createApprovalCommands = (context: Context) =>
  group("approvals", "tool calls that wait for a person", [
    listCommand(context, noun, {
      about: "list the tool calls that wait, oldest first",
      columns: {
        ID: ({ actionId }) => actionId,
        SINCE: ({ created }) => shortTime(created),
        "WAITS FOR": ({ status }) => waitsFor[status],
        AGENT: ({ metadata }) => metadata.agentName,
        TOOL: ({ metadata }) => metadata.toolName,
        ARGUMENTS: ({ inputs }) => JSON.stringify(inputs),
      },
    }),
    getCommand(context, noun, { about: "show a waiting call, with what led to it", by }),
    decisionCommand(context, {
      name: "approve",
      about: "let a waiting call be made",
      did: "approved",
    }),
    decisionCommand(context, {
      name: "reject",
      about: "refuse a waiting call; its agent is told so",
      did: "rejected",
    }),
  ]);
