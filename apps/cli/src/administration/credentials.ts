import { ModelService, type ProviderCredential, PutProviderCredential } from "@parley/schema";
import { Argument, type Command } from "commander";
import { CommandError } from "../command-error.ts";
import { callServer } from "../connection/call-server.ts";
import { check, connect, type ServerConnection } from "../connection/connect.ts";
import { readSecrets } from "../connection/read-secrets.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { findOne, readList } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounCommand } from "../grammar/noun.ts";
import { actionCommand, getCommand } from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { printLine } from "../print.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../context.ts";

const noun = { many: "credentials", one: "credential", open: connect };
const by = "provider";

const readAll = ({ rpc, wId }: ServerConnection) =>
  readList(
    rpc.providerCredentials.list
      .query({ wId })
      .then(({ providerCredentials }) => providerCredentials),
  );

async function find(connection: ServerConnection, reference: string) {
  const nameOf = ({ providerId }: ProviderCredential): string => providerId;
  const credential = await findOne(readAll(connection), reference, {
    ...noun,
    idOf: nameOf,
    nameOf,
  });
  return { id: credential.providerId, name: credential.providerId, credential };
}

/** Makes `create` and `update`, which read the secret. */
function putCommand(context: Context, name: "create" | "update", about: string): Command {
  return nounCommand(name, `${about}: it is read from standard input, or asked for`)
    .addArgument(new Argument("<provider>", "provider of models").choices(ModelService.options))
    .action(async (providerId: string, options: ServerOptions) => {
      const connection = await connect(context, options);
      const { io, rpc, wId } = connection;
      const there = await Array.fromAsync(readAll(connection));
      // Before a person is asked for the secret, the server and the key are known to be good.
      requireState(name, providerId, there);
      const [apiKey] = await readSecrets(io, [`the credential for ${providerId}`]);
      const input = check(PutProviderCredential, { wId, providerId, apiKey });
      const answer = await callServer(rpc.providerCredentials.put.mutate(input));
      printLine(io, options.json ? JSON.stringify(answer) : `${name}d: credential ${providerId}`);
    });
}

function requireState(
  name: "create" | "update",
  providerId: string,
  there: readonly ProviderCredential[],
): void {
  const isThere = there.some((one) => one.providerId === providerId);
  if (isThere === (name === "update")) return;
  throw new CommandError(
    isThere
      ? `There is a credential for ${providerId}: parley credentials update ${providerId} replaces it`
      : `There is no credential for ${providerId}: parley credentials create ${providerId} sets one`,
  );
}

/** Makes the commands about a workspace's credentials for providers of models. */
export const createCredentialCommands = (context: Context) =>
  group("credentials", "a workspace's own secrets for providers of models", [
    listCommand(context, noun, {
      about: "list the credentials, without their secrets",
      listed: "providerCredentials",
      read: readAll,
      idOf: ({ providerId }) => providerId,
      columns: {
        PROVIDER: ({ providerId }) => providerId,
        CREATED: ({ createdAt }) => shortTime(createdAt),
        UPDATED: ({ updatedAt }) => shortTime(updatedAt),
      },
    }),
    getCommand(context, noun, {
      by,
      find,
      read: async (_connection, { credential }) => ({ providerCredential: credential }),
    }),
    putCommand(context, "create", "set the credential for a provider"),
    putCommand(context, "update", "replace the credential for a provider"),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove the credential for a provider",
      did: "removed",
      by,
      find,
      destroys: ({ name }) => `removes the credential for ${name}`,
      call: async ({ rpc, wId }, { credential: { providerId } }) => ({
        answer: await rpc.providerCredentials.remove.mutate({ wId, providerId }),
      }),
    }),
  ]);
