import { group } from "@parley/command/group";
import type { Schedule } from "@parley/schema";
import * as z from "zod";
import type { Context } from "../connection/context.ts";
import { callEndpoint } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import {
  findAgent,
  findFunction,
  findKey,
  findSpace,
  schedules as noun,
} from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import { createFiringCommands } from "./firings.ts";
import { createPreviewCommand } from "./preview.ts";
import { ChangedSchedule, NewSchedule, requestOf } from "./schedule-members.ts";
import { timesIn, zonedTime } from "./schedule-times.ts";

const references = { agent: findAgent, function: findFunction, space: findSpace, key: findKey };

/** Whether it fires, and if not why. */
function stateOf({ pausedFor, failingSince }: Schedule): string {
  if (pausedFor === "request") return "paused";
  if (pausedFor !== null) return `paused: ${pausedFor.replace("_", " ")}`;
  return failingSince === null ? "active" : `failing since ${shortTime(failingSince)}`;
}

/** What it starts, by its id. */
const startedBy = ({ agent, function: invoked }: Schedule): string =>
  String(agent?.["agentId"] ?? invoked?.["functionId"] ?? "");

/** Makes the commands about the schedules of a workspace, and about their firings. */
export const createScheduleCommands = (context: Context) =>
  group("schedules", "agents and functions that are started at set times", [
    listCommand(context, noun, {
      about: "list the schedules, with when they fire next",
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        TIMES: timesIn,
        STATE: stateOf,
        NEXT: ({ nextSlot, timezone }) => zonedTime(nextSlot, timezone),
        LAST: ({ lastFiring, timezone }) => zonedTime(lastFiring?.slot ?? null, timezone),
        STARTS: startedBy,
      },
    }),
    getCommand(context, noun),
    createPreviewCommand(context),
    createCommand(context, noun, {
      about: "create a schedule, which fires from then on",
      argument: "name",
      schema: NewSchedule,
      call: async (connection, input) =>
        callEndpoint(connection, "schedules.create", requestOf(input)),
      references,
    }),
    updateCommand(context, noun, {
      schema: ChangedSchedule,
      call: async (connection, { id, item }, input) =>
        callEndpoint(connection, "schedules.update", {
          id,
          version: item?.version,
          ...requestOf(input, item),
        }),
      references,
    }),
    actionCommand(context, noun, {
      name: "pause",
      about: "pause a schedule: what has not started yet is skipped",
      did: "paused",
      schema: z.object({}),
      call: async (connection, { id, item }) =>
        callEndpoint(connection, "schedules.update", {
          id,
          version: item?.version,
          isPaused: true,
        }),
    }),
    actionCommand(context, noun, {
      name: "resume",
      about: "resume a schedule, also one that was paused because its key is no longer valid",
      did: "resumed",
      schema: ChangedSchedule.pick({ key: true }),
      references,
      call: async (connection, { id, item }, input) =>
        callEndpoint(connection, "schedules.update", {
          id,
          version: item?.version,
          isPaused: false,
          ...requestOf(input),
        }),
    }),
    actionCommand(context, noun, {
      name: "run",
      about: "fire a schedule now, besides its times",
      did: "fired",
      call: "schedules.run",
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove a schedule with its firings; what it has started stays",
      did: "removed",
      destroys: ({ name }) => `remove the schedule ${name} with its firings`,
      call: "schedules.remove",
    }),
    createFiringCommands(context),
  ]);
