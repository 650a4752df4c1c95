import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageByNumber } from "../parsing/page.ts";
import {
  AdministeredSchedule,
  CreateSchedule,
  FiringPage,
  ListFirings,
  PreviewSchedule,
  ScheduleIdentity,
  SchedulePage,
  SchedulePreview,
  StartedFiring,
  UpdateSchedule,
  VersionedSchedule,
} from "./schedules.ts";

const ofSchedule = {
  subject: ["scheduleId"],
  errors: ["workspace_not_found", "schedule_not_found"],
} as const;
const ofLaunch = [
  "app_auth_error",
  "agent_not_found",
  "conversation_not_found",
  "api_key_not_found",
  "sandbox_function_not_found",
  "space_not_found",
] as const;
const place = `${administered}/schedules` as const;

/** Operations on the schedules of a workspace, and on their firings. */
export const scheduleEndpoints = {
  "schedules.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: place,
      input: WorkspaceParams.extend(pageByNumber("Schedules")),
    }),
    summary: "List the schedules of the workspace",
    output: SchedulePage,
  },
  "schedules.create": {
    ...administer({ role: "builder", method: "POST", path: place, input: CreateSchedule }),
    summary: "Create a schedule",
    subject: [],
    errors: ["workspace_not_found", ...ofLaunch],
    output: AdministeredSchedule,
  },
  "schedules.preview": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/preview`,
      input: PreviewSchedule,
    }),
    summary: "List the times at which a schedule would fire, without creating it",
    onlyReads: true,
    output: SchedulePreview,
  },
  "schedules.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/{scheduleId}`,
      input: ScheduleIdentity,
    }),
    summary: "Read a schedule",
    output: AdministeredSchedule,
    errors: ofSchedule.errors,
  },
  "schedules.update": {
    ...administer({
      role: "builder",
      method: "PATCH",
      path: `${place}/{scheduleId}`,
      input: UpdateSchedule,
    }),
    ...ofSchedule,
    errors: [...ofSchedule.errors, ...ofLaunch, "version_conflict"],
    storesLittle: true,
    summary: "Change a schedule, or pause or resume it",
    output: AdministeredSchedule,
  },
  "schedules.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${place}/{scheduleId}`,
      input: VersionedSchedule,
    }),
    ...ofSchedule,
    errors: [...ofSchedule.errors, "version_conflict"],
    summary: "Remove a schedule with its firings; what it has started stays",
    output: Success,
  },
  "schedules.run": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{scheduleId}/run`,
      input: ScheduleIdentity,
    }),
    ...ofSchedule,
    storesLittle: true,
    summary: "Fire a schedule now, besides its times",
    output: StartedFiring,
  },
  "schedules.listFirings": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/{scheduleId}/firings`,
      input: ListFirings,
    }),
    summary: "List the firings of a schedule, newest first",
    output: FiringPage,
    errors: ofSchedule.errors,
  },
} as const satisfies Record<string, Endpoint>;
