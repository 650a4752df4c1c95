import { group } from "@parley/command/group";
import { type TraceDestination, UpdateTraceDestination } from "@parley/schema";
import * as z from "zod";
import type { Context } from "../connection/context.ts";
import { callEndpoint, inputOf } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { traceDestinations as noun } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { switchCommands } from "../grammar/switch-commands.ts";
import { Duration, secondsOf } from "../terminal/duration.ts";
import { shortTime } from "../terminal/short-time.ts";

/** Whether traces are sent, and since when that fails. */
function stateOf({ isEnabled, failingSince, exporting }: TraceDestination): string {
  if (!isEnabled) return "off";
  if (failingSince !== null) return `failing since ${shortTime(failingSince)}`;
  return exporting === null ? "on" : "on, sending a period again";
}

/** What is updated: `--url` names the server, and whether it is on is said by commands of their own. */
const changes = inputOf("traceDestinations.update", ["url", "isEnabled"]).extend({
  newUrl: UpdateTraceDestination.shape.url,
});

const createDestinationCommands = (context: Context) =>
  group("destinations", "where traces are sent", [
    listCommand(context, noun, {
      about: "list the trace destinations, and how far they are (header values are not shown)",
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        URL: ({ url }) => url,
        STATE: stateOf,
        SENT: ({ sentSpans }) => String(sentSpans),
        REJECTED: ({ rejectedSpans }) => String(rejectedSpans),
        UNTIL: ({ exportedUntil }) => shortTime(exportedUntil),
      },
    }),
    getCommand(context, noun),
    createCommand(context, noun, {
      about: "create a trace destination: traces of runs that end from then on are sent to it",
      argument: "name",
      schema: inputOf("traceDestinations.create", ["name", "url"]).extend({
        endpoint: UpdateTraceDestination.shape.url,
      }),
      call: async (connection, { endpoint: url, ...input }) =>
        callEndpoint(connection, "traceDestinations.create", { ...input, url }),
    }),
    updateCommand(context, noun, {
      schema: changes,
      call: async (connection, { id, item }, { newUrl: url, ...input }) =>
        callEndpoint(connection, "traceDestinations.update", {
          id,
          version: item?.version,
          url,
          ...input,
        }),
    }),
    ...switchCommands(context, noun, {
      call: "traceDestinations.update",
      enable: "switch a trace destination on: what ends from then on is sent",
      disable: "switch a trace destination off",
    }),
    actionCommand(context, noun, {
      name: "test",
      about: "send a trace destination a sample",
      did: "queued a sample",
      call: "traceDestinations.test",
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove a trace destination",
      did: "removed",
      destroys: ({ name }) => `remove the trace destination ${name}`,
      call: "traceDestinations.remove",
    }),
  ]);

const period = z.object({
  since: Duration.describe("How far back the period begins, such as 7d or 12h, at most 31d"),
});

/** Makes the commands about the traces of a workspace. */
export const createTraceCommands = (context: Context) =>
  group("traces", "traces of runs, which are sent to destinations by OTLP", [
    actionCommand(context, noun, {
      name: "export",
      about: "send a trace destination the traces of a past period again, with the same ids",
      did: "queued an export",
      schema: period,
      call: async (connection, { id }, { since }) =>
        callEndpoint(connection, "traceDestinations.export", {
          id,
          from: Date.now() - secondsOf(since) * 1000,
        }),
    }),
    createDestinationCommands(context),
  ]);
