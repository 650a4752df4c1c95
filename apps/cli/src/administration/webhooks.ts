import { group } from "@parley/command/group";
import {
  type ReplayedDeliveries,
  ReplayWebhook,
  UpdateWebhook,
  type Webhook,
} from "@parley/schema";
import type * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { type Answer, callEndpoint, inputOf } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import type { Named } from "../grammar/noun.ts";
import { findAgent, findFunction, webhooks as noun } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { switchCommands } from "../grammar/switch-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import { createListenCommand } from "./listen.ts";
import { createDeliveryCommands } from "./webhook-deliveries.ts";

const by = "id or URL";
const references = { agentIds: findAgent, functionIds: findFunction };

/** What is updated: `--url` names the server, and whether it is on is said by commands of their own. */
const changes = inputOf("webhooks.update", ["url", "isEnabled"]).extend({
  newUrl: UpdateWebhook.shape.url,
});

/** Whether events are sent, and if not why. */
function stateOf({ disabledFor, failingSince }: Webhook): string {
  if (disabledFor === "request") return "off";
  if (disabledFor !== null) return `off: ${disabledFor.replace("_", " ")}`;
  return failingSince === null ? "on" : `failing since ${shortTime(failingSince)}`;
}

const sayQueued = ({ queued }: Answer): string =>
  queued === 1 ? "queued 1 delivery" : `queued ${String(queued)} deliveries`;

/** Sends deliveries again, with as many requests as that takes. */
async function redeliver({ rpc, wId }: ServerConnection, { id }: Named, input: object) {
  let queued = 0;
  for (let hasMore = true; hasMore;) {
    const answer = await callServer(
      rpc.webhooks.redeliver.mutate({ wId, webhookId: id, ...input }),
    );
    queued += answer.queued;
    ({ hasMore } = answer);
  }
  return { queued };
}

const period = ReplayWebhook.pick({ from: true, to: true });

/** Sends what happened in a time, with as many requests as that takes. */
async function replay(
  { rpc, wId }: ServerConnection,
  { id: webhookId }: Named,
  input: z.input<typeof period>,
) {
  let queued = 0;
  for (let from: typeof input.from | null = input.from; from !== null;) {
    const given = { wId, webhookId, ...input, from };
    const answer: ReplayedDeliveries = await callServer(rpc.webhooks.replay.mutate(given));
    queued += answer.queued;
    from = answer.continueFrom;
  }
  return { queued };
}

/** Makes the commands about the webhooks of a workspace, and about their deliveries. */
export const createWebhookCommands = (context: Context) =>
  group("webhooks", "URLs that are told what happens in a workspace", [
    listCommand(context, noun, {
      about: "list the webhooks, and whether their deliveries succeed (secrets are not shown)",
      columns: {
        ID: ({ sId }) => sId,
        URL: ({ url }) => url,
        EVENTS: ({ events }) => events.join(", "),
        STATE: stateOf,
      },
    }),
    getCommand(context, noun, { by }),
    createCommand(context, noun, {
      about: "create a webhook and print its secret, which is shown only once",
      argument: "url",
      // What only `listen` takes.
      without: ["isPulled"],
      call: "webhooks.create",
      references,
    }),
    updateCommand(context, noun, {
      by,
      schema: changes,
      call: async (connection, { id, item }, { newUrl: url, ...input }) =>
        callEndpoint(connection, "webhooks.update", { id, version: item?.version, url, ...input }),
      references,
    }),
    ...switchCommands(context, noun, {
      call: "webhooks.update",
      by,
      enable: "switch a webhook on, also one that the server switched off",
      disable: "switch a webhook off: it is not told of what happens meanwhile",
    }),
    actionCommand(context, noun, {
      name: "rotate",
      about: "replace a webhook's secret and print the new one, which is shown only once",
      did: "rotated",
      by,
      destroys: ({ name }) => `replace the secret of the webhook ${name}`,
      call: "webhooks.rotateSecret",
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove a webhook with its deliveries",
      did: "removed",
      by,
      destroys: ({ name }) => `remove the webhook ${name} with its deliveries`,
      call: "webhooks.remove",
    }),
    actionCommand(context, noun, {
      name: "test",
      about: "send a webhook a sample of an event",
      did: "queued a sample",
      by,
      call: "webhooks.test",
    }),
    createDeliveryCommands(context),
    createListenCommand(context, references),
    actionCommand(context, noun, {
      name: "redeliver",
      about: "send deliveries again that have ended: some, or all that have failed",
      did: sayQueued,
      by,
      schema: inputOf("webhooks.redeliver"),
      call: redeliver,
    }),
    actionCommand(context, noun, {
      name: "replay",
      about: "send a webhook what has happened since a time, without what it was told already",
      did: sayQueued,
      by,
      schema: period,
      call: replay,
    }),
  ]);
