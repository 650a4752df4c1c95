import { group } from "@parley/command/group";
import { type Alert, type AlertIncident, alertMeasures } from "@parley/schema";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { callEndpoint, inputOf } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounOf } from "../grammar/noun.ts";
import { alerts as noun, findAgent } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { switchCommands } from "../grammar/switch-commands.ts";
import { shortTime } from "../terminal/short-time.ts";

const incidents = nounOf("alerts.listIncidents", {
  many: "incidents",
  one: "incident",
  open: connect,
});

/** Incidents that are listed by default. */
const NEWEST = 20;

const references = { agentId: findAgent };

/** A value of a measure with its unit. */
function valueOf(measure: Alert["measure"], value: number): string {
  const { unit } = alertMeasures[measure];
  return `${Math.round(value * 10) / 10}${unit === "" ? "" : ` ${unit}`}`;
}

const stateOf = ({ isEnabled, openSince }: Alert): string => {
  if (!isEnabled) return "off";
  return openSince === null ? "OK" : `open since ${shortTime(openSince)}`;
};

const listIncidents = (context: Context) =>
  listCommand(context, incidents, {
    about: "list the incidents of alerts, newest first",
    limit: NEWEST,
    filters: inputOf("alerts.listIncidents"),
    columns: {
      ID: ({ sId }) => sId,
      ALERT: ({ name }) => name,
      STATE: ({ closedAt }) => (closedAt === null ? "open" : "closed"),
      VALUE: ({ measure, value }: AlertIncident) => valueOf(measure, value),
      OPENED: ({ openedAt }) => shortTime(openedAt),
      CLOSED: ({ closedAt }) => (closedAt === null ? null : shortTime(closedAt)),
    },
  });

/** Makes the commands about the alerts of a workspace, and about their incidents. */
export const createAlertCommands = (context: Context) =>
  group("alerts", "rules that say when something is wrong", [
    listCommand(context, noun, {
      about: "list the alerts, built-in ones first, and which are open",
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        STATE: stateOf,
        OPENS: ({ measure, comparison, threshold }) =>
          `${measure} ${comparison} ${valueOf(measure, threshold)}`,
      },
    }),
    getCommand(context, noun),
    createCommand(context, noun, {
      about: "create an alert",
      argument: "name",
      call: "alerts.create",
      references,
    }),
    updateCommand(context, noun, {
      schema: inputOf("alerts.update", ["isEnabled"]),
      call: async (connection, { id, item }, input) =>
        callEndpoint(connection, "alerts.update", { id, version: item?.version, ...input }),
      references,
    }),
    ...switchCommands(context, noun, {
      call: "alerts.update",
      enable: "switch an alert on",
      disable: "switch an alert off; its incident ends",
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove an alert, or give a built-in one back what it was",
      did: "removed",
      destroys: ({ name }) => `remove the alert ${name}`,
      call: "alerts.remove",
    }),
    group("incidents", "times in which an alert was open", [listIncidents(context)]),
  ]);
