import type { Command, OptionValues } from "@commander-js/extra-typings";

/** The values of the options that every command has that calls a running server. */
export interface ServerOptions {
  readonly url?: string | undefined;
  readonly workspace?: string | undefined;
  readonly profile?: string | undefined;
  readonly json?: true | undefined;
}

/** Adds the options that name a running server. */
export const withServer = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option("--url <url>", "URL of the server")
    .option("--workspace <id>", "id of the workspace")
    .option("--profile <name>", "profile saved by parley login")
    .option("--json", "print the server's answer as JSON");
