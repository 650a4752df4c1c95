import type { ParseArgsConfig } from "node:util";
import { RegisterTool, UpdateToolConnection } from "@parley/schema";
import { CommandError } from "../command-error.ts";
import { readSecrets } from "../connection/read-secrets.ts";
import { check } from "../connection/server-command.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** Options that say how a server is called. */
export const connectionOptions = {
  bearer: { type: "boolean" },
  header: { type: "string", multiple: true },
  "oauth-client": { type: "string" },
  "oauth-scope": { type: "string" },
  "per-user": { type: "boolean" },
  "default-stake": { type: "string" },
  stake: { type: "string", multiple: true },
  retryable: { type: "string", multiple: true },
  "timeout-ms": { type: "string" },
  "max-concurrent": { type: "string" },
} as const satisfies Options;

/** The values of `connectionOptions`. */
export interface ConnectionValues {
  readonly bearer?: boolean | undefined;
  readonly header?: readonly string[] | undefined;
  readonly "oauth-client"?: string | undefined;
  readonly "oauth-scope"?: string | undefined;
  readonly "per-user"?: boolean | undefined;
  readonly "default-stake"?: string | undefined;
  readonly stake?: readonly string[] | undefined;
  readonly retryable?: readonly string[] | undefined;
  readonly "timeout-ms"?: string | undefined;
  readonly "max-concurrent"?: string | undefined;
}

/** The settings of a connection that options name; secrets come from standard input or a prompt. */
export async function readConnection(values: ConnectionValues) {
  const { bearer = false, header: names = [], "oauth-client": clientId } = values;
  const { "oauth-scope": scope, "per-user": isPerUser = false } = values;
  if (scope !== undefined && clientId === undefined && !isPerUser) {
    throw new CommandError("--oauth-scope is for --oauth-client or --per-user; see parley --help");
  }
  const wanted = [
    ...(bearer ? ["the bearer token"] : []),
    ...names.map((name) => `the value of ${name}`),
    ...(clientId === undefined ? [] : ["the secret of the OAuth client"]),
  ];
  const secrets = await readSecrets(wanted);
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
    defaultStake: values["default-stake"],
    stakes: values.stake && Object.fromEntries(values.stake.map(readStake)),
    // An empty name leaves none.
    retryableTools: values.retryable?.filter((name) => name !== ""),
    timeoutMs: numberIn(values["timeout-ms"]),
    maxConcurrent: numberIn(values["max-concurrent"]),
  };
}

function readStake(given: string): [tool: string, stake: string] {
  const at = given.lastIndexOf("=");
  if (at > 0) return [given.slice(0, at), given.slice(at + 1)];
  throw new CommandError("--stake takes a tool and who approves it, as in --stake find=never_ask");
}

const numberIn = (value: string | undefined) => (value === undefined ? undefined : Number(value));

/** Checks the registration of a server. Throws `CommandError`, which names the first fault. */
export const checkRegistration = (input: object) => check(RegisterTool, input);

/** Checks the change of a connection. Throws `CommandError`, which names the first fault. */
export const checkUpdate = (input: object) => check(UpdateToolConnection, input);
