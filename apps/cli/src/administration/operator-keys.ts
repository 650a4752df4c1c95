import { CreateOperatorKey, type OperatorKey } from "@parley/schema";
import * as z from "zod";
import { connectAsOperator } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import { actionCommand, createCommand, type Done, getCommand } from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../context.ts";

type Server = Awaited<ReturnType<typeof connectAsOperator>>;

const noun = { many: "operator-keys", one: "operator key", open: connectAsOperator };

/** Revoked ones are told apart from new ones of the same name by leaving them out. */
const readAll = ({ rpc }: Server, { revoked = false }: { revoked?: boolean | undefined } = {}) =>
  readPages(
    async (place) => rpc.operatorKeys.list.query({ limit: 100, ...place }),
    ({ operatorKeys }) => operatorKeys.filter(({ revokedAt }) => revoked || revokedAt === null),
  );

async function find(server: Server, reference: string) {
  const names = {
    ...noun,
    idOf: (one: OperatorKey) => one.sId,
    nameOf: (one: OperatorKey) => one.name,
  };
  const operatorKey = await findOne(readAll(server), reference, names);
  return { id: operatorKey.sId, name: operatorKey.name, operatorKey };
}

function doneOf(answer: { readonly operatorKey: OperatorKey; readonly secret: string }): Done {
  const { operatorKey, secret } = answer;
  return { named: { id: operatorKey.sId, name: operatorKey.name }, answer, secret };
}

const evenIfLast = z
  .boolean()
  .optional()
  .describe("although no other operator key can be used then");

/** Makes the commands about the keys of operators. */
export const createOperatorKeyCommands = (context: Context) =>
  group("operator-keys", "keys of the server's operators", [
    listCommand(context, noun, {
      about: "list the operator keys, the newest first",
      listed: "operatorKeys",
      filters: z.object({ revoked: z.boolean().optional().describe("revoked ones too") }),
      read: readAll,
      idOf: ({ sId }) => sId,
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        CREATED: ({ createdAt }) => shortTime(createdAt),
        EXPIRES: ({ expiresAt }) => shortTime(expiresAt),
        REVOKED: ({ revokedAt }) => shortTime(revokedAt),
      },
    }),
    getCommand(context, noun, {
      find,
      read: async (_server, { operatorKey }) => ({ operatorKey }),
    }),
    createCommand(context, noun, {
      about: "create an operator key, and print its secret: it is shown only then",
      argument: "name",
      schema: CreateOperatorKey,
      call: async ({ rpc }, input) => doneOf(await rpc.operatorKeys.create.mutate(input)),
    }),
    actionCommand(context, noun, {
      name: "rotate",
      about: "give an operator key a new secret, and print it: it is shown only then",
      did: "rotated",
      schema: z.object({
        overlapSeconds: z.number().optional().describe("how long the secret before stays valid"),
        evenIfLast,
      }),
      find,
      destroys: ({ name }) => `replaces the secret of the operator key ${name}`,
      call: async ({ rpc }, { id }, { overlapSeconds, evenIfLast: isMeant = false }) =>
        doneOf(
          await rpc.operatorKeys.rotate.mutate({ keyId: id, overlapSeconds, evenIfLast: isMeant }),
        ),
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "revoke an operator key for good",
      did: "revoked",
      schema: z.object({ evenIfLast }),
      find,
      destroys: ({ name }) => `revokes the operator key ${name} for good`,
      call: async ({ rpc }, { id }, { evenIfLast: isMeant = false }) => ({
        answer: await rpc.operatorKeys.revoke.mutate({ keyId: id, evenIfLast: isMeant }),
      }),
    }),
  ]);
