import { group } from "@parley/command/group";
import type { ApiKey } from "@parley/schema";
import * as z from "zod";
import { listCommand } from "../grammar/list-command.ts";
import { findKey as find, findSpace, keys as noun, readKeys } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

const references = { spaceIds: findSpace };

/** Makes the commands about the keys of a workspace; the group has those of `others` too. */
export const createKeyCommands = (context: Context, others: readonly object[]) =>
  group("keys", "keys of a workspace", [
    listCommand(context, noun, {
      about: "list the keys (secrets are not shown)",
      filters: z.object({ revoked: z.boolean().optional().describe("include revoked keys") }),
      read: readKeys,
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        ROLE: ({ role }) => role,
        SPACES: ({ spaceIds }) => spaceIds.length,
        EXPIRES: ({ expiresAt }) => shortTime(expiresAt),
        STATE: stateOf,
      },
    }),
    getCommand(context, noun, { find }),
    createCommand(context, noun, {
      about: "create a key and print its secret, which is shown only once",
      argument: "name",
      call: "apiKeys.create",
      references,
    }),
    updateCommand(context, noun, { call: "apiKeys.update", find, references }),
    actionCommand(context, noun, {
      name: "rotate",
      about: "replace a key's secret and print the new one, which is shown only once",
      did: "rotated",
      destroys: ({ name }) => `replace the secret of the key ${name}`,
      find,
      call: "apiKeys.rotate",
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "revoke a key permanently",
      did: "revoked",
      destroys: ({ name }) => `permanently revoke the key ${name}`,
      find,
      call: "apiKeys.revoke",
    }),
    ...others,
  ]);

function stateOf({ revokedAt, disabledAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return "revoked";
  if (disabledAt !== null) return "disabled";
  return expiresAt !== null && expiresAt <= Date.now() ? "expired" : "active";
}
