import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import {
  AdministeredAlert,
  AlertIdentity,
  AlertList,
  CreateAlert,
  IncidentPage,
  ListIncidents,
  UpdateAlert,
  VersionedAlert,
} from "./alerts.ts";

const ofAlert = {
  subject: ["alertId"],
  errors: ["workspace_not_found", "alert_not_found"],
} as const;
const place = `${administered}/alerts` as const;

/** Operations on the alerts of a workspace, and on their incidents. */
export const alertEndpoints = {
  "alerts.list": {
    ...administer({ role: "builder", method: "GET", path: place, input: WorkspaceParams }),
    summary: "List the alerts of the workspace, built-in ones first",
    output: AlertList,
  },
  "alerts.create": {
    ...administer({ role: "admin", method: "POST", path: place, input: CreateAlert }),
    summary: "Create an alert",
    subject: [],
    errors: ["workspace_not_found", "agent_not_found"],
    output: AdministeredAlert,
  },
  "alerts.listIncidents": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/incidents`,
      input: ListIncidents,
    }),
    summary: "List the incidents of alerts, newest first",
    output: IncidentPage,
  },
  "alerts.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/{alertId}`,
      input: AlertIdentity,
    }),
    summary: "Read an alert",
    output: AdministeredAlert,
    errors: ofAlert.errors,
  },
  "alerts.update": {
    ...administer({
      role: "admin",
      method: "PATCH",
      path: `${place}/{alertId}`,
      input: UpdateAlert,
    }),
    ...ofAlert,
    errors: [...ofAlert.errors, "agent_not_found", "version_conflict"],
    storesLittle: true,
    summary: "Change an alert, or switch it on or off",
    output: AdministeredAlert,
  },
  "alerts.remove": {
    ...administer({
      role: "admin",
      method: "DELETE",
      path: `${place}/{alertId}`,
      input: VersionedAlert,
    }),
    ...ofAlert,
    errors: [...ofAlert.errors, "version_conflict"],
    summary: "Remove an alert, or give a built-in one back what it was",
    output: Success,
  },
} as const satisfies Record<string, Endpoint>;
