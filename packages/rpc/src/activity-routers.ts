import * as core from "@parley/core";
import { endpoints } from "@parley/schema";
import { query, router } from "./trpc.ts";

/** The implementations of the endpoints that show what a workspace does. */
export const activityRouters = {
  overview: router({
    get: query(endpoints["overview.get"], core.getOverview),
    getServer: query(endpoints["overview.getServer"], core.getServerOverview),
  }),
  runs: router({
    list: query(endpoints["runs.list"], core.listRuns),
    get: query(endpoints["runs.get"], core.getRun),
    listServer: query(endpoints["runs.listServer"], core.listServerRuns),
  }),
};
