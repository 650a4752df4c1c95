import { group } from "@parley/command/group";
import { StepParams } from "@parley/schema";
import type { Command } from "commander";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { inputOf } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findById as find, nounCommand, nounOf } from "../grammar/noun.ts";
import { conversations as noun } from "../grammar/nouns.ts";
import { actionCommand, printAnswer, printDone, updateCommand } from "../grammar/one-commands.ts";
import { checkInput, withInput } from "../grammar/read-input.ts";
import { shortTime } from "../terminal/short-time.ts";
import { getConversationCommand } from "./get-conversation.ts";
import { createSummaryCommands } from "./summaries.ts";
import { createTasksCommand } from "./tasks.ts";
import type { Context } from "../connection/context.ts";

/** Conversations that are listed by default. */
const NEWEST = 20;

const foundNoun = nounOf("search.messages", {
  many: "messages",
  one: "message",
  open: connect,
  nameOf: ({ excerpt }) => excerpt,
});

// Titles are not names: they repeat, and change.
const common = { find, by: "id" } as const;

/** Makes the commands about conversations. */
export const createConversationAdministration = (context: Context) =>
  group("conversations", "conversations that your key can see", [
    listCommand(context, noun, {
      about: "list the conversations, newest first",
      limit: NEWEST,
      read: ({ parley }) =>
        readPages(
          async (place) => parley.conversations.list(place),
          (page) => page.conversations,
        ),
      columns: {
        ID: ({ sId }) => sId,
        CREATED: ({ created }) => shortTime(created),
        UPDATED: ({ updated }) => shortTime(updated),
        TITLE: ({ title }) => title,
      },
    }),
    listCommand(context, foundNoun, {
      name: "search",
      about: "find messages by their words, newest first",
      of: "query",
      by: 'words that all occur; "…" for words in this order, OR, and - before what must not occur',
      limit: NEWEST,
      filters: inputOf("search.messages", ["query", "limit", "lastValue"]),
      read: (connection, filters, query) => foundNoun.read(connection, { ...filters, query }),
      columns: {
        CONVERSATION: ({ conversation }) => conversation.sId,
        CREATED: ({ createdAt }) => shortTime(createdAt),
        AGENT: ({ agent }) => agent?.name,
        TEXT: ({ excerpt }) => excerpt.replaceAll(/\s+/g, " "),
      },
    }),
    getConversationCommand(context),
    updateCommand(context, noun, {
      ...common,
      about: "rename a conversation",
      schema: z.object({ title: z.string().optional().describe("new title") }),
      call: async ({ parley }, { id }, { title }) =>
        parley.conversations.update({ conversationId: id, title }),
    }),
    requestCommand(context),
    outputCommand(context),
    actionCommand(context, noun, {
      ...common,
      name: "remove",
      about: "delete a conversation and all of its content",
      did: "removed",
      destroys: ({ id }) => `permanently delete the conversation ${id}`,
      call: async ({ parley }, { id }) => parley.conversations.delete({ conversationId: id }),
    }),
    createTasksCommand(context),
    createSummaryCommands(context),
  ]);

const RequestOptions = z.object({
  step: StepParams.shape.n.optional().describe("number of the step, from 0; the first by default"),
});

/** Makes the command that shows what a model was sent. */
function requestCommand(context: Context): Command {
  const command = nounCommand("request", "show what the model was sent for a step of an answer")
    .argument("<conversation>", "id")
    .argument("<message>", "id of the agent's message");
  const read = withInput(command, { schema: RequestOptions, isFilter: true });
  return command.action(async (cId: string, mId: string, options: ServerOptions) => {
    const { step = 0 } = checkInput(RequestOptions, await read(context.io, { ...options }));
    const { rpc, wId } = await connect(context, options);
    const answer = await callServer(rpc.messages.getRequest.query({ wId, cId, mId, n: step }));
    await printAnswer(context.io, answer, options);
  });
}

const OutputOptions = z.object({
  output: z.string().describe("what the model is given"),
  isError: z.boolean().optional().describe("whether the call failed"),
});

/** Makes the command that sends the output of a call of an application's own tool. */
function outputCommand(context: Context): Command {
  const command = nounCommand(
    "output",
    "send the output of a tool that the application runs itself",
  )
    .argument("<conversation>", "id")
    .argument("<message>", "id of the agent's message")
    .argument("<call>", "id of the tool call");
  const read = withInput(command, { schema: OutputOptions });
  return command.action(
    async (conversationId: string, messageId: string, actionId: string, options: ServerOptions) => {
      const given = checkInput(OutputOptions, await read(context.io, { ...options }));
      const { parley } = await connect(context, options);
      const outputs = [{ actionId, ...given }];
      const answer = await callServer(
        parley.messages.sendToolOutputs({ conversationId, messageId, outputs }),
      );
      printDone(context.io, `sent: the output of ${actionId}`, answer, options);
    },
  );
}
