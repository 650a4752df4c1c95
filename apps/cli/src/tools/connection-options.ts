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
    .option("--header <name>", "call with a header; repeatable", collect)
    .option("--oauth-client <id>", "id of a client at the server's own authorization server")
    .option("--oauth-scope <scope>", "scope to ask for")
    .option("--per-user", "each user authorizes the calls at the server's own authorization server")
    .option("--default-stake <stake>", "who approves calls")
    .option("--stake <tool=stake>", "who approves calls of one tool; repeatable", collect)
    .option(
      "--retryable <tool>",
      "tool that may be called again after an interruption; repeatable",
      collect,
    )
    .option("--timeout-ms <ms>", "timeout of a call in milliseconds")
    .option("--max-concurrent <calls>", "maximum number of concurrent calls");

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
