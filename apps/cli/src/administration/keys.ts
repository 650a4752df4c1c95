import { type ApiKey, CreateApiKey, RotateApiKey, UpdateApiKey } from "@parley/schema";
import * as z from "zod";
import { listCommand } from "../grammar/list-command.ts";
import { findKey as find, keys as noun, readKeys } from "../grammar/keys.ts";
import { findSpace } from "../grammar/spaces.ts";
import {
  actionCommand,
  createCommand,
  type Done,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../context.ts";

const references = { spaceIds: findSpace };

function doneOf(answer: { readonly apiKey: ApiKey; readonly secret?: string }): Done {
  const { apiKey, secret } = answer;
  const named = { id: apiKey.sId, name: apiKey.name };
  return { named, answer, ...(secret !== undefined && { secret }) };
}

/** Makes the commands about the keys of a workspace; the group has those of `others` too. */
export const createKeyCommands = (context: Context, others: readonly object[]) =>
  group("keys", "keys of a workspace", [
    listCommand(context, noun, {
      about: "list the keys, without their secrets",
      listed: "apiKeys",
      filters: z.object({ revoked: z.boolean().optional().describe("revoked ones too") }),
      read: readKeys,
      idOf: ({ sId }) => sId,
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        ROLE: ({ role }) => role,
        SPACES: ({ spaceIds }) => spaceIds.length,
        EXPIRES: ({ expiresAt }) => shortTime(expiresAt),
        STATE: stateOf,
      },
    }),
    getCommand(context, noun, { find, read: async (_connection, { apiKey }) => ({ apiKey }) }),
    createCommand(context, noun, {
      about: "create a key, and print its secret: it is shown only then",
      argument: "name",
      schema: CreateApiKey.omit({ wId: true }),
      references,
      call: async ({ rpc, wId }, input) =>
        doneOf(await rpc.apiKeys.create.mutate({ wId, ...input })),
    }),
    updateCommand(context, noun, {
      schema: UpdateApiKey.omit({ wId: true, keyId: true }),
      references,
      find,
      call: async ({ rpc, wId }, { id }, input) =>
        doneOf(await rpc.apiKeys.update.mutate({ wId, keyId: id, ...input })),
    }),
    actionCommand(context, noun, {
      name: "rotate",
      about: "give a key a new secret, and print it: it is shown only then",
      did: "rotated",
      schema: RotateApiKey.omit({ wId: true, keyId: true }),
      find,
      destroys: ({ name }) => `replaces the secret of the key ${name}`,
      call: async ({ rpc, wId }, { id }, input) =>
        doneOf(await rpc.apiKeys.rotate.mutate({ wId, keyId: id, ...input })),
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "revoke a key for good",
      did: "revoked",
      find,
      destroys: ({ name }) => `revokes the key ${name} for good`,
      call: async ({ rpc, wId }, { id }) => ({
        answer: await rpc.apiKeys.revoke.mutate({ wId, keyId: id }),
      }),
    }),
    ...others,
  ]);

function stateOf({ revokedAt, disabledAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return "revoked";
  if (disabledAt !== null) return "disabled";
  return expiresAt !== null && expiresAt <= Date.now() ? "expired" : "active";
}
