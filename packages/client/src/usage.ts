import type { CallOptions, DownloadName, Input, Method } from "./methods.ts";
import type { RouteName } from "./schema-tables.ts";

type Download<N extends DownloadName> = (
  input: Input<N>,
  options?: CallOptions,
) => Promise<Response>;

/** The methods of what a workspace and its users use. */
export function createUsageMethods(
  method: <N extends RouteName>(name: N) => Method<N>,
  download: <N extends DownloadName>(name: N) => Download<N>,
) {
  return {
    analytics: {
      /** Exports the use of the workspace, as CSV or JSON; needs an admin key. */
      export: download("analytics.export"),
      /** Exports every call of a model with what it cost, as CSV or lines of JSON; needs an admin key. */
      exportConsumption: download("analytics.exportConsumption"),
    },
    usage: {
      /** Reads what the caller's own user has used this month. */
      own: method("usage.own"),
    },
  };
}
