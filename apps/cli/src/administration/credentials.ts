import { CommandError } from "@parley/command/command-error";
import { group } from "@parley/command/group";
import { printLine } from "@parley/command/print";
import { ModelService, type ProviderCredential, PutProviderCredential } from "@parley/schema";
import { Argument, type Command } from "commander";
import { callServer } from "../connection/call-server.ts";
import { check, connect } from "../connection/connect.ts";
import { readSecrets } from "../connection/read-secrets.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounCommand } from "../grammar/noun.ts";
import { credentials as noun } from "../grammar/nouns.ts";
import { actionCommand, getCommand } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

const by = "provider";

/** Makes `create` and `update`, which read the secret. */
function putCommand(context: Context, name: "create" | "update", about: string): Command {
  return nounCommand(name, `${about}; the secret is read from standard input or a prompt`)
    .addArgument(new Argument("<provider>", "model provider").choices(ModelService.options))
    .action(async (providerId: string, options: ServerOptions) => {
      const connection = await connect(context, options);
      const { io, rpc, wId } = connection;
      const there = await Array.fromAsync(noun.read(connection));
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
      ? `A credential for ${providerId} already exists: parley credentials update ${providerId} replaces it`
      : `No credential for ${providerId}: set one with parley credentials create ${providerId}`,
  );
}

/** Makes the commands about a workspace's credentials for providers of models. */
export const createCredentialCommands = (context: Context) =>
  group("credentials", "a workspace's own keys for model providers", [
    listCommand(context, noun, {
      about: "list the credentials (secrets are not shown)",
      columns: {
        PROVIDER: ({ providerId }) => providerId,
        CREATED: ({ createdAt }) => shortTime(createdAt),
        UPDATED: ({ updatedAt }) => shortTime(updatedAt),
      },
    }),
    getCommand(context, noun, { by }),
    putCommand(context, "create", "set the credential for a provider"),
    putCommand(context, "update", "replace the credential for a provider"),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove the credential for a provider",
      did: "removed",
      by,
      destroys: ({ name }) => `remove the credential for ${name}`,
      call: "providerCredentials.remove",
    }),
  ]);
