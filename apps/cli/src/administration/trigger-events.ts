import { group } from "@parley/command/group";
import type { TriggerEvent } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { inputOf, readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounCommand, nounOf } from "../grammar/noun.ts";
import { findTrigger } from "../grammar/nouns.ts";
import { printAnswer } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = nounOf("triggers.listEvents", { many: "events", one: "event", open: connect });

/** Events that are listed by default. */
const NEWEST = 20;

const resultOf = ({ started, error, isSample }: TriggerEvent): string =>
  error ?? started?.conversationId ?? started?.invocationId ?? (isSample ? "sample" : "");

const list = (context: Context) =>
  listCommand(context, noun, {
    about: "list what a trigger has received, newest first",
    limit: NEWEST,
    of: "trigger",
    by: "id or name",
    filters: inputOf("triggers.listEvents"),
    read: async function* (connection, filters, trigger) {
      const { id: triggerId } = await findTrigger(connection, trigger);
      yield* readListed(connection, "triggers.listEvents", { triggerId, ...filters });
    },
    columns: {
      ID: ({ sId }) => sId,
      KEY: ({ key }) => key,
      STATUS: ({ status }) => status,
      RESULT: resultOf,
      BYTES: ({ bytes }) => bytes,
      RECEIVED: ({ createdAt }) => shortTime(createdAt),
    },
  });

const get = (context: Context) =>
  nounCommand("get", "show an event with its body, and what was made of it")
    .argument("<trigger>", "id or name")
    .argument("<event>", "id")
    .action(async (trigger: string, eventId: string, options: ServerOptions) => {
      const connection = await connect(context, options);
      const { rpc, wId } = connection;
      const { id: triggerId } = await callServer(findTrigger(connection, trigger));
      const answer = await callServer(rpc.triggers.getEvent.query({ wId, triggerId, eventId }));
      await printAnswer(context.io, answer, options);
    });

/** Makes the commands about what a trigger has received; without a name of one, it is listed. */
export const createTriggerEventCommands = (context: Context) =>
  group(
    "events",
    "what a trigger has received, and what it started",
    [list(context), get(context)],
    {
      byDefault: "list",
    },
  );
