import { CommandError } from "@parley/command/command-error";
import { group } from "@parley/command/group";
import { oneLine } from "@parley/command/print";
import type { WebhookDelivery } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { inputOf, readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounCommand, nounOf } from "../grammar/noun.ts";
import { findWebhook } from "../grammar/nouns.ts";
import { printAnswer } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = nounOf("webhooks.listDeliveries", {
  many: "deliveries",
  one: "delivery",
  open: connect,
});

const by = "id or URL";

/** Deliveries that are listed by default. */
const NEWEST = 20;

async function* readDeliveries(
  connection: ServerConnection,
  reference: string,
  filters: object = {},
): AsyncGenerator<WebhookDelivery> {
  const { id: webhookId } = await findWebhook(connection, reference);
  yield* readListed(connection, "webhooks.listDeliveries", { webhookId, ...filters });
}

/** What the last attempt was answered, or why it was not. */
function lastAnswerOf({ attempts }: WebhookDelivery): string | number | null | undefined {
  const last = attempts.at(-1);
  return last?.status ?? last?.error;
}

const list = (context: Context) =>
  listCommand(context, noun, {
    about: "list the deliveries of a webhook, newest first",
    limit: NEWEST,
    of: "webhook",
    by,
    filters: inputOf("webhooks.listDeliveries"),
    read: (connection, filters, webhook) => readDeliveries(connection, webhook, filters),
    columns: {
      ID: ({ sId }) => sId,
      EVENT: ({ event }) => event,
      STATUS: ({ status }) => status,
      ATTEMPTS: ({ attempts }) => attempts.length,
      "LAST ANSWER": lastAnswerOf,
      CREATED: ({ createdAt }) => shortTime(createdAt),
    },
  });

const get = (context: Context) =>
  nounCommand("get", "show a delivery with its attempts and the beginning of the last answer")
    .argument("<webhook>", by)
    .argument("<delivery>", "id")
    .action(async (webhook: string, deliveryId: string, options: ServerOptions) => {
      const connection = await connect(context, options);
      for await (const delivery of readDeliveries(connection, webhook)) {
        if (delivery.sId === deliveryId) return printAnswer(context.io, { delivery }, options);
      }
      throw new CommandError(
        `The webhook has no delivery ${oneLine(deliveryId)}; see parley webhooks deliveries ${oneLine(webhook)}`,
      );
    });

/** Makes the commands about the deliveries of a webhook; without a name of one, they are listed. */
export const createDeliveryCommands = (context: Context) =>
  group(
    "deliveries",
    "what a webhook was told, and what it answered",
    [list(context), get(context)],
    {
      byDefault: "list",
    },
  );
