import { Command, Option } from "@commander-js/extra-typings";
import { MeasureDimension } from "@parley/schema";
import type { Context } from "../connection/context.ts";
import { withServer } from "../connection/server-options.ts";

/** Makes `parley overview`. */
export const createOverviewCommand = (context: Context) =>
  withServer(new Command("overview"))
    .description(
      "show answers, errors, latencies and cost of a period, against the one before; operators see the server",
    )
    .addOption(
      new Option("--by <what>", "list the largest by this; agent by default").choices([
        ...MeasureDimension.options,
        "workspace",
      ] as const),
    )
    .option("--from <time>", "begin, as an ISO 8601 time; an hour before the end by default")
    .option("--to <time>", "end; now by default")
    .action(async (options) => (await import("./show-overview.ts")).showOverview(context, options));
