import { oneLine, reportLine } from "@parley/command/print";
import { CreateWebhook, text, type Webhook } from "@parley/schema";
import { writeYaml } from "@parley/core/skill-folders";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readListed } from "../grammar/endpoint-calls.ts";
import {
  type Applying,
  type Entry,
  isDeclaration,
  type Kind,
  type Listed,
  type Read,
} from "./kind.ts";
import { type ReadFile, readYamlFile, withoutDefaults, YAML } from "./yaml-file.ts";

const { url, events, description, conversationIds, sendsContent, isOrdered, includesTasks } =
  CreateWebhook.shape;
const names = z.array(text(256, 1)).max(100).default([]);

/** `webhooks/<name>.yaml`: a webhook, which its URL names. Its secret is in no file. */
const WebhookFile = z.object({
  url,
  events,
  description,
  agents: names,
  functions: names,
  conversationIds,
  sendsContent,
  isOrdered,
  includesTasks,
});

export type WebhookDefinition = ReturnType<typeof definitionOf>;

/** A webhook as files declare it: without names in a list, it is told of all. */
function definitionOf({ conversationIds: ids, ...value }: z.output<typeof WebhookFile>) {
  return { ...value, conversationIds: ids ?? [] };
}

const {
  url: _url,
  events: _events,
  ...defaults
} = definitionOf(WebhookFile.parse({ url: "https://x.example", events: ["message.failed"] }));

async function readWebhookEntry({ file, text: read }: Entry): Promise<ReadFile<WebhookDefinition>> {
  if (!YAML.test(file)) {
    return { faults: [{ file, message: "is not a webhook: webhook files end in .yaml" }] };
  }
  const found = readYamlFile(WebhookFile, { file, text: await read(file) });
  return "faults" in found ? found : { value: definitionOf(found.value) };
}

type ListedWebhook = Listed & { readonly webhook: Webhook };

/** The webhooks of a workspace that are sent what happens, for an admin; others see none. */
export async function listWebhooks(
  connection: ServerConnection,
  { isAdmin }: { readonly isAdmin: boolean },
): Promise<ListedWebhook[]> {
  if (!isAdmin) return [];
  const listed = await callServer(Array.fromAsync(readListed(connection, "webhooks.list")));
  return listed
    .filter(({ isPulled }) => !isPulled)
    .map((webhook) => {
      const { url: name, sId: id, version } = webhook;
      return { name, id, version, isArchived: false, webhook };
    });
}

type Names = Readonly<Record<"agent" | "function", readonly Listed[]>>;

/** A listed webhook as folders declare it. What has no name any more keeps its id, so that it is not told of all. */
export function readWebhook(one: ListedWebhook, listed: Names): Read<WebhookDefinition> {
  const { webhook, ...named } = one;
  const namesOf = (kind: keyof Names, ids: readonly string[] | null) =>
    (ids ?? []).map((id) => listed[kind].find((known) => known.id === id)?.name ?? id);
  return {
    ...named,
    version: webhook.version,
    definition: {
      url: webhook.url,
      // The server lists what it has taken.
      events: webhook.events as WebhookDefinition["events"],
      description: webhook.description,
      agents: namesOf("agent", webhook.agentIds),
      functions: namesOf("function", webhook.functionIds),
      conversationIds: webhook.conversationIds ?? [],
      sendsContent: webhook.sendsContent,
      isOrdered: webhook.isOrdered,
      includesTasks: webhook.includesTasks,
    },
  };
}

function membersOf({ ids }: Applying, { agents, functions, ...webhook }: WebhookDefinition) {
  const orNull = (chosen: readonly string[]) => (chosen.length === 0 ? null : [...chosen]);
  return {
    ...webhook,
    conversationIds: orNull(webhook.conversationIds),
    agentIds: orNull(agents.map((name) => ids.agent.get(name) ?? name)),
    functionIds: orNull(functions.map((name) => ids.function.get(name) ?? name)),
  };
}

export const webhookKind: Kind<WebhookDefinition> = {
  folder: "webhooks",
  nameOf: (webhook) => webhook.url,
  isTaken: isDeclaration,
  read: readWebhookEntry,
  write: ({ url: sentTo, events: told, ...others }, stem) => {
    const members = { url: sentTo, events: told, ...withoutDefaults(others, defaults) };
    return { files: { [`${stem}.yaml`]: writeYaml(members) } };
  },
  usesOf: ({ agents, functions }) => [
    ["agent", agents],
    ["function", functions],
  ],
  findFault: (_after, _before, { isAdmin }) => (isAdmin ? undefined : "webhooks need an admin key"),
  compared: (webhook) => ({ ...webhook }),
  create: async (applying, webhook) => {
    const { rpc, wId, io } = applying.connection;
    const creating = rpc.webhooks.create.mutate({ wId, ...membersOf(applying, webhook) });
    const { webhook: created, secret } = await callServer(creating);
    reportLine(io, `the secret of webhook ${oneLine(created.url)} is shown only once: ${secret}`);
    return created.sId;
  },
  update: async (applying, { before: { id: webhookId, version }, after }) => {
    const { rpc, wId } = applying.connection;
    const change = { wId, webhookId, version, ...membersOf(applying, after) };
    await callServer(rpc.webhooks.update.mutate(change));
  },
  remove: async ({ rpc, wId }, { id: webhookId, version = 0 }) => {
    await callServer(rpc.webhooks.remove.mutate({ wId, webhookId, version }));
  },
};
