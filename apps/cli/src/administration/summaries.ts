import { CommandError } from "@parley/command/command-error";
import { group } from "@parley/command/group";
import { type Command, InvalidArgumentError } from "commander";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounCommand, nounOf } from "../grammar/noun.ts";
import { printAnswer, printDone } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

const noun = nounOf("summaries.list", {
  many: "summaries",
  one: "summary",
  open: connect,
  idOf: ({ number }) => String(number),
});

/** Summaries that are listed by default. */
const NEWEST = 20;

const readSummaries = (connection: ServerConnection, cId: string) =>
  readListed(connection, "summaries.list", { cId });

const list = (context: Context) =>
  listCommand(context, noun, {
    about: "list the summaries of a conversation's oldest messages, newest first",
    limit: NEWEST,
    of: "conversation",
    read: (connection, _filters, cId) => readSummaries(connection, cId),
    columns: {
      NUMBER: ({ number }) => number,
      CREATED: ({ createdAt }) => shortTime(createdAt),
      STATUS: ({ status }) => status,
      POSITIONS: ({ fromRank, toRank }) => (toRank === null ? "" : `${fromRank}-${toRank}`),
      MODEL: ({ model }) => `${model.providerId}/${model.modelId}`,
      "INPUT TOKENS": ({ inputTokens }) => inputTokens,
      "OUTPUT TOKENS": ({ outputTokens }) => outputTokens,
      ERROR: ({ error }) => error?.code,
    },
  });

interface CreateOptions extends ServerOptions {
  readonly agent: string;
}

/** Begins a command about one summary. */
const oneCommand = (name: string, about: string): Command =>
  nounCommand(name, about)
    .argument("<conversation>", "id")
    .argument("<number>", "number of the summary", readNumber);

function readNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}

const get = (context: Context) =>
  oneCommand("get", "show a summary with its text").action(
    async (cId: string, number: number, options: ServerOptions) => {
      const connection = await connect(context, options);
      for await (const summary of readSummaries(connection, cId)) {
        if (summary.number === number) return printAnswer(context.io, { summary }, options);
      }
      throw new CommandError(
        `The conversation has no summary ${number}; see parley conversations summaries ${cId}`,
      );
    },
  );

const create = (context: Context) =>
  nounCommand("create", "summarise what a conversation has said so far, and wait for it")
    .argument("<conversation>", "id")
    .requiredOption("--agent <agent>", "the agent whose model writes it")
    .action(async (conversationId: string, { agent: agentId, ...options }: CreateOptions) => {
      const { parley } = await connect(context, options);
      const created = { conversationId, agentId, blocking: true };
      const answer = await callServer(parley.summaries.create(created));
      if (answer.error !== null) throw new CommandError(answer.error.message);
      printDone(context.io, `${answer.status}: summary ${answer.number}`, answer, options);
    });

const change = (context: Context, name: "undo" | "redo", about: string) =>
  oneCommand(name, about).action(
    async (conversationId: string, number: number, options: ServerOptions) => {
      const { parley } = await connect(context, options);
      const changed = { conversationId, number, active: name === "redo" };
      const answer = await callServer(parley.summaries.update(changed));
      printDone(context.io, `${answer.status}: summary ${number}`, answer, options);
    },
  );

/** Makes the commands about the summaries of a conversation; without a name of one, they are listed. */
export const createSummaryCommands = (context: Context) =>
  group(
    "summaries",
    "summaries of a conversation's oldest messages",
    [
      list(context),
      get(context),
      create(context),
      change(context, "undo", "undo a summary: prompts have the messages again"),
      change(context, "redo", "take an undone summary back: prompts have it again"),
    ],
    { byDefault: "list" },
  );
