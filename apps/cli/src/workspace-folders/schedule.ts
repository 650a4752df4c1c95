import { writeYaml } from "@parley/core/skill-folders";
import { CronFault, parseCron } from "@parley/cron";
import { type Schedule, toListedTimezone } from "@parley/schema";
import type * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { callEndpoint, readListed } from "../grammar/endpoint-calls.ts";
import { launchedMembers, requestOf, ScheduleMembers } from "../schedules/schedule-members.ts";
import { durationOf, secondsOf } from "../terminal/duration.ts";
import { type Applying, isDeclaration, type Kind, type Listed, type Read } from "./kind.ts";
import {
  findLaunchFault,
  identifyLaunch,
  type LaunchedThings,
  nameLaunch,
  usesOfLaunch,
} from "./launch.ts";
import { type ReadFile, readYamlFile, stemOf, withoutDefaults, YAML } from "./yaml-file.ts";

/** `schedules/<name>.yaml`: the options of `parley schedules create`, but for the key. */
const ScheduleFile = ScheduleMembers.extend({ name: ScheduleMembers.shape.name.optional() });

export type ScheduleDefinition = ReturnType<typeof definitionOf>;

/** A schedule as files declare it: with names in place of ids, and empty texts for what it has not. */
function definitionOf(value: z.output<typeof ScheduleFile>, name = "") {
  const { description, overlap, missed, isPaused, cron = "", every } = value;
  return {
    name: value.name ?? name,
    description,
    agent: value.agent ?? "",
    agentVersion: value.agentVersion ?? null,
    message: value.message ?? "",
    conversation: value.conversation ?? "",
    title: value.title ?? "",
    space: value.space ?? "",
    email: value.email ?? "",
    function: value.function ?? "",
    functionVersion: value.functionVersion ?? null,
    input: value.input ?? null,
    cron,
    every: every === undefined ? "" : durationOf(secondsOf(every)),
    timezone: toListedTimezone(value.timezone ?? "UTC"),
    overlap,
    missed,
    jitter: durationOf(secondsOf(value.jitter ?? "0s")),
    isPaused,
  };
}

const defaults = definitionOf(ScheduleFile.parse({}));

/** What cannot be so in any workspace; the server says the rest. */
function faultOf(schedule: ScheduleDefinition) {
  const { cron, every } = schedule;
  const fault = findLaunchFault(schedule);
  if (fault !== undefined) return fault;
  if ((cron === "") === (every === "")) return "exactly one of cron and every must be there";
  try {
    if (cron !== "") parseCron(cron);
  } catch (error) {
    if (!(error instanceof CronFault)) throw error;
    return `cron: ${error.message}`;
  }
  return undefined;
}

async function readSchedule(file: string, text: string): Promise<ReadFile<ScheduleDefinition>> {
  if (!YAML.test(file)) {
    const message = "does not belong to a schedule: schedule files end in .yaml";
    return { faults: [{ file, message }] };
  }
  const read = readYamlFile(ScheduleFile, { file, text });
  if ("faults" in read) return read;
  const value = definitionOf(read.value, stemOf(file));
  const message = faultOf(value);
  return message === undefined ? { value } : { faults: [{ file, message }] };
}

/** A schedule of the list, which has all of it. */
interface ListedSchedule extends Listed {
  readonly schedule: Schedule;
}

/** The schedules that the key manages. */
export async function listSchedules(connection: ServerConnection): Promise<ListedSchedule[]> {
  const listed = await callServer(Array.fromAsync(readListed(connection, "schedules.list")));
  return listed.map((schedule) => {
    const { name, sId: id, version } = schedule;
    return { name, id, version, isArchived: false, schedule };
  });
}

/** A schedule as folders declare it; what it names that the key does not see keeps its id. */
export function readShownSchedule(
  { schedule, ...one }: ListedSchedule,
  things: LaunchedThings,
): Read<ScheduleDefinition> {
  const { everySeconds, jitterSeconds } = schedule;
  const value = ScheduleFile.parse({
    ...nameLaunch(schedule, things),
    name: schedule.name,
    description: schedule.description,
    cron: schedule.cron ?? undefined,
    every: everySeconds === null ? undefined : durationOf(everySeconds),
    timezone: schedule.timezone,
    overlap: schedule.overlap,
    missed: schedule.missed,
    jitter: durationOf(jitterSeconds),
    isPaused: schedule.pausedFor !== null,
  });
  return { ...one, version: schedule.version, definition: definitionOf(value) };
}

const times: readonly string[] = ["cron", "every"];

/** The request for the members of a schedule that `isSent` says: all that is started, or nothing of it. */
function requestFor(
  applying: Applying,
  schedule: ScheduleDefinition,
  isSent: (member: string) => boolean,
): Readonly<Record<string, unknown>> {
  const named = { ...schedule, ...identifyLaunch(applying, schedule) };
  const isLaunched = launchedMembers.some(isSent);
  const isTimed = times.some(isSent);
  const given = Object.entries(named).filter(([member, value]) => {
    if (launchedMembers.includes(member)) return isLaunched && value !== "" && value !== null;
    if (times.includes(member)) return isTimed && value !== "";
    return isSent(member);
  });
  return requestOf(Object.fromEntries(given));
}

export const scheduleKind: Kind<ScheduleDefinition> = {
  folder: "schedules",
  nameOf: ({ name }) => name,
  isTaken: isDeclaration,
  read: async ({ file, text }) => readSchedule(file, YAML.test(file) ? await text(file) : ""),
  write: (schedule, stem) => ({
    files: {
      [`${stem}.yaml`]: writeYaml({
        name: schedule.name,
        ...withoutDefaults(schedule, { ...defaults, name: schedule.name }),
      }),
    },
  }),
  usesOf: usesOfLaunch,
  compared: (schedule) => ({ ...schedule }),
  create: async (applying, schedule) => {
    const request = requestFor(applying, schedule, () => true);
    const creating = callEndpoint(applying.connection, "schedules.create", request);
    const { schedule: made } = (await callServer(creating)) as { readonly schedule: Schedule };
    return made.sId;
  },
  update: async (applying, { before, after, changed }) => {
    const request = requestFor(applying, after, (member) => changed.has(member));
    const { id, version } = before;
    const given = { id, version, ...request };
    await callServer(callEndpoint(applying.connection, "schedules.update", given));
  },
  remove: async ({ rpc, wId }, { id: scheduleId, version = 0 }) => {
    await callServer(rpc.schedules.remove.mutate({ wId, scheduleId, version }));
  },
};
