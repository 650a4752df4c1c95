import { Command as TypedCommand } from "@commander-js/extra-typings";
import type { Command } from "commander";
import { type ServerOptions, withServer } from "../connection/server-options.ts";
import type { Context } from "../context.ts";

/** What commands are about. */
export interface Noun<Connection> {
  /** The group of its commands, as `spaces`. */
  readonly many: string;
  /** One of them in a sentence, as `space`. */
  readonly one: string;
  /** Finds the server; throws `CommandError` or `BadConfiguration`. */
  readonly open: (context: Context, options: ServerOptions) => Promise<Connection>;
}

/** Begins a command about a noun, with the options that name a server. */
export function nounCommand(name: string, description: string): Command {
  const command = withServer(new TypedCommand(name).description(description));
  // Options that come from a schema have no static types.
  return command as unknown as Command;
}

/** A noun with its article. */
export const withArticle = (one: string): string => `${/^[aeio]/.test(one) ? "an" : "a"} ${one}`;
