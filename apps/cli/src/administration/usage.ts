import { Command, Option } from "@commander-js/extra-typings";
import { UsageDimension } from "@parley/schema";
import { withServer } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";

const collect = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
];

/** Makes `parley usage`. */
export const createUsageCommand = (context: Context) =>
  withServer(new Command("usage"))
    .description("show what calls of models cost, by day; operators see all workspaces")
    .addOption(
      new Option("--by <what>", "divide it by this instead, with the same time before").choices([
        ...UsageDimension.options.filter((one) => one !== "none"),
        "workspace",
      ] as const),
    )
    .option("--from <day>", "first day, as YYYY-MM-DD; 30 days ago by default")
    .option("--to <day>", "last day; today by default")
    .option("--timezone <zone>", "IANA time zone of the days; UTC by default")
    .option("--agent <id>", "only this agent; repeatable", collect)
    .option("--model <provider/model>", "only this model; repeatable", collect)
    .option("--key <id>", "only what this key is billed for; repeatable", collect)
    .option("--user <id>", "only this user; repeatable", collect)
    .option("--own", "only your own, of this month: any key or token may read it")
    .option("--csv", "print every row as CSV")
    .action(async (options) => (await import("./show-usage.ts")).showUsage(context, options));
