import type { Implementations } from "../implementation.ts";
import { getRun } from "./get-run.ts";
import { listAllConversations } from "./list-conversations.ts";
import { listRuns } from "./list-runs.ts";
import { listServerRuns } from "./list-server-runs.ts";
import { getOverview, getServerOverview } from "./overview.ts";

/** The endpoints that are implemented here. */
export const activityImplementations = {
  "conversations.listAll": listAllConversations,
  "overview.get": getOverview,
  "overview.getServer": getServerOverview,
  "runs.get": getRun,
  "runs.list": listRuns,
  "runs.listServer": listServerRuns,
} satisfies Implementations;
