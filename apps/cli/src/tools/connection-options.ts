import type { Command, OptionValues } from "@commander-js/extra-typings";

const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

/** Adds the options that say how a server is called. */
export const withConnection = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option("--bearer", "call with a bearer token")
    .option("--header <name>", "call with a header; may be repeated", collect)
    .option("--oauth-client <id>", "client of the server's own authorization server")
    .option("--oauth-scope <scope>", "scope to ask for")
    .option("--per-user", "each user allows the calls, at the server's own authorization server")
    .option("--default-stake <stake>", "who approves calls")
    .option("--stake <tool=stake>", "who approves calls of one tool; may be repeated", collect)
    .option("--retryable <tool>", "may be called again after a break; may be repeated", collect)
    .option("--timeout-ms <ms>", "how long a call may take")
    .option("--max-concurrent <calls>", "how many calls may be under way");

/** The values of these options. */
export interface ConnectionOptions {
  readonly bearer?: true | undefined;
  readonly header?: readonly string[] | undefined;
  readonly oauthClient?: string | undefined;
  readonly oauthScope?: string | undefined;
  readonly perUser?: true | undefined;
  readonly defaultStake?: string | undefined;
  readonly stake?: readonly string[] | undefined;
  readonly retryable?: readonly string[] | undefined;
  readonly timeoutMs?: string | undefined;
  readonly maxConcurrent?: string | undefined;
}
