import { group } from "@parley/command/group";
import * as z from "zod";
import type { connectAsOperator } from "../connection/connect.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn } from "../grammar/noun.ts";
import { operatorKeys as noun } from "../grammar/nouns.ts";
import { actionCommand, createCommand, getCommand } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

/** Revoked ones are told apart from new ones of the same name by leaving them out. */
async function* readAll(
  server: Awaited<ReturnType<typeof connectAsOperator>>,
  { revoked = false }: { readonly revoked?: boolean | undefined } = {},
) {
  for await (const key of noun.read(server)) if (revoked || key.revokedAt === null) yield key;
}

const find = findIn(noun, readAll);

const evenIfLast = z.boolean().optional().describe("even if it is the last usable operator key");

/** Makes the commands about the keys of operators. */
export const createOperatorKeyCommands = (context: Context) =>
  group("operator-keys", "keys of the server's operators", [
    listCommand(context, noun, {
      about: "list the operator keys, newest first",
      filters: z.object({ revoked: z.boolean().optional().describe("include revoked keys") }),
      read: readAll,
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        CREATED: ({ createdAt }) => shortTime(createdAt),
        EXPIRES: ({ expiresAt }) => shortTime(expiresAt),
        REVOKED: ({ revokedAt }) => shortTime(revokedAt),
      },
    }),
    getCommand(context, noun, { find }),
    createCommand(context, noun, {
      about: "create an operator key and print its secret, which is shown only once",
      argument: "name",
      call: "operatorKeys.create",
    }),
    actionCommand(context, noun, {
      name: "rotate",
      about: "replace an operator key's secret and print the new one, which is shown only once",
      did: "rotated",
      schema: z.object({
        overlapSeconds: z.number().optional().describe("how long the old secret stays valid"),
        evenIfLast,
      }),
      destroys: ({ name }) => `replace the secret of the operator key ${name}`,
      find,
      call: "operatorKeys.rotate",
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "revoke an operator key permanently",
      did: "revoked",
      schema: z.object({ evenIfLast }),
      destroys: ({ name }) => `permanently revoke the operator key ${name}`,
      find,
      call: "operatorKeys.revoke",
    }),
  ]);
