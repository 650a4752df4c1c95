import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { ListAllConversations, ListedConversationPage } from "./conversations.ts";
import { Overview, ReadOverview, ReadServerOverview } from "./overview.ts";
import {
  ListRuns,
  ListServerRuns,
  RunDetails,
  RunIdentity,
  RunPage,
  ServerRunPage,
} from "./runs.ts";

/** Operations that show what a workspace, or the server, does. */
export const activityEndpoints = {
  "runs.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/runs`,
      input: ListRuns,
    }),
    summary: "List agent turns and invocations, newest first",
    output: RunPage,
  },
  "runs.get": {
    ...administer({
      role: "user",
      method: "GET",
      path: `${administered}/runs/{runId}`,
      input: RunIdentity,
    }),
    // What the users of a page invoked, they may run again.
    scope: "functions:invoke",
    summary: "Read an agent turn or an invocation with its input",
    output: RunDetails,
    errors: ["workspace_not_found", "run_not_found"],
  },
  "runs.cancel": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administered}/runs/{runId}/cancel`,
      input: RunIdentity,
    }),
    subject: ["runId"],
    storesLittle: true,
    summary: "Cancel an agent turn or an invocation; if it has ended, nothing changes",
    output: Success,
    errors: ["workspace_not_found", "run_not_found"],
  },
  "runs.listServer": {
    ...administer({
      role: "operator",
      method: "GET",
      path: "/api/admin/runs",
      input: ListServerRuns,
    }),
    summary: "List agent turns and invocations of all workspaces, newest first",
    errors: [],
    output: ServerRunPage,
  },
  "conversations.listAll": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/conversations`,
      input: ListAllConversations,
    }),
    summary: "List conversations by title, agent, time and state, newest first",
    output: ListedConversationPage,
  },
  "overview.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/overview`,
      input: ReadOverview,
    }),
    summary: "Read the current and recent activity of a workspace, by hour or day",
    output: Overview,
  },
  "overview.getServer": {
    ...administer({
      role: "operator",
      method: "GET",
      path: "/api/admin/overview",
      input: ReadServerOverview,
    }),
    summary: "Read the current and recent activity of the server, by hour or day",
    errors: [],
    output: Overview,
  },
} as const satisfies Record<string, Endpoint>;
