import type { ParseArgsConfig } from "node:util";
import { createParley, createRpcClient } from "parley-client";
import type * as z from "zod";
import { CommandError } from "../command-error.ts";
import { readServerSettings } from "../config.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

export type Print = (line: string) => void;

/** A command that calls a running server. */
export type ServerCommand = (args: readonly string[], print: Print) => Promise<void>;

/** Options of every command that calls a running server. */
export const serverOptions = {
  url: { type: "string" },
  workspace: { type: "string" },
  json: { type: "boolean" },
} as const satisfies Options;

/** The values of `serverOptions`. */
export type ServerValues = Parameters<typeof readServerSettings>[0] & {
  readonly json?: boolean | undefined;
};

/** Requests of a command that may be repeated are repeated this often. */
const MAX_RETRIES = 2;

/** The clients of the server that options and the environment name. Throws `BadConfiguration`. */
export function connect(values: ServerValues) {
  const server = readServerSettings(values);
  const { baseUrl: url, workspaceId: wId, apiKey } = server;
  return {
    rpc: createRpcClient({ url, apiKey }),
    parley: createParley({ ...server, maxRetries: MAX_RETRIES }),
    wId,
    url,
  };
}

export type ServerConnection = ReturnType<typeof connect>;

/** The one argument of a command. Throws `CommandError`. */
export function onlyOne([first, ...others]: readonly string[], wanted: string): string {
  if (first !== undefined && others.length === 0) return first;
  throw new CommandError(`${wanted}; see parley --help`);
}

/** Checks the input of a call. Throws `CommandError`, which names the first fault. */
export function check<S extends z.ZodType>(schema: S, input: object): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new CommandError(`${issue?.path.join(".")}: ${issue?.message}`);
}
