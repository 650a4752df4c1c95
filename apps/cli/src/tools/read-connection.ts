import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { RegisterTool, UpdateToolConnection } from "@parley/schema";
import { readSecrets } from "../connection/read-secrets.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { check } from "../connection/connect.ts";

/** The settings of a connection that options name; secrets come from standard input or a prompt. */
export async function readConnection(io: Io, options: ConnectionOptions) {
  const { bearer = false, header: names = [], oauthClient: clientId } = options;
  const { oauthScope: scope, perUser: isPerUser = false } = options;
  if (scope !== undefined && clientId === undefined && !isPerUser) {
    throw new CommandError("--oauth-scope needs --oauth-client or --per-user");
  }
  const wanted = [
    ...(bearer ? ["the bearer token"] : []),
    ...names.map((name) => `the value of ${name}`),
    ...(clientId === undefined ? [] : ["the secret of the OAuth client"]),
  ];
  const secrets = await readSecrets(io, wanted);
  const headers = [
    ...(bearer ? [["Authorization", `Bearer ${secrets.shift()}`] as const] : []),
    ...names.map((name) => [name, secrets.shift() ?? ""] as const),
  ];
  return {
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...((clientId !== undefined || isPerUser) && {
      oauth: {
        grant: isPerUser ? "authorization_code" : "client_credentials",
        clientId,
        // Some clients for users have no secret.
        clientSecret: secrets.shift() || undefined,
        scope,
      },
    }),
    defaultStake: options.defaultStake,
    stakes: options.stake && Object.fromEntries(options.stake.map(readStake)),
    // An empty name leaves none.
    retryableTools: options.retryable?.filter((name) => name !== ""),
    timeoutMs: numberIn(options.timeoutMs),
    maxConcurrent: numberIn(options.maxConcurrent),
  };
}

function readStake(given: string): [tool: string, stake: string] {
  const at = given.lastIndexOf("=");
  if (at > 0) return [given.slice(0, at), given.slice(at + 1)];
  throw new CommandError(
    "--stake takes a tool and who approves it, such as --stake find=never_ask",
  );
}

const numberIn = (value: string | undefined) => (value === undefined ? undefined : Number(value));

/** Checks the registration of a server. Throws `CommandError`, which names the first fault. */
export const checkRegistration = (input: object) => check(RegisterTool, input);

/** Checks the change of a connection. Throws `CommandError`, which names the first fault. */
export const checkUpdate = (input: object) => check(UpdateToolConnection, input);
