import * as z from "zod";
import { launchMembers } from "../launches/launches.ts";
import { WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { fromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { RequestedTimezone, Timezone } from "../parsing/timezones.ts";

/** Schedules of a workspace. */
export const MAX_SCHEDULES = 100;
/** Slots that were missed, or that wait for the firing before them, of one schedule at once. */
export const MAX_LATE_SLOTS = 100;
/** Firings that are kept of each schedule. */
export const MAX_ENDED_FIRINGS = 1000;

const MIN_EVERY_SECONDS = 60;
const MAX_EVERY_SECONDS = 366 * 86_400;
const MAX_JITTER_SECONDS = 3600;

const Overlap = z.enum(["allow", "skip", "wait"]);
const Missed = z.enum(["skip", "last", "all"]);

const cron = text(200, 1)
  .describe(
    "When it fires: minute, hour, day of month, month and day of week, or @hourly, @daily, @weekly, @monthly, @yearly",
  )
  .meta({ example: "0 9 * * MON-FRI" });
const everySeconds = z
  .int()
  .min(MIN_EVERY_SECONDS)
  .max(MAX_EVERY_SECONDS)
  .describe("Seconds between two firings, at least 60")
  .meta({ example: 3600 });

const times = {
  cron: cron.nullish().transform((value) => value ?? null),
  everySeconds: everySeconds.nullish().transform((value) => value ?? null),
  timezone: RequestedTimezone.default("UTC").describe(
    "IANA time zone of the cron expression; UTC by default",
  ),
};

const name = text(255, 1).describe("Name of the schedule").meta({ example: "Daily report" });
const overlap = Overlap.describe(
  "What happens at a time when the firing before still runs: `allow` starts beside it, `skip` does not start, and " +
    "`wait` starts when it has ended",
);
const missed = Missed.describe(
  "What happens to times that passed while nothing could start, by more than a minute: `skip` none of them, `last` " +
    "starts for the last one, and `all` for each of the newest 100",
);
const jitterSeconds = z
  .int()
  .min(0)
  .max(MAX_JITTER_SECONDS)
  .describe("Each firing starts up to so many seconds late, so that many do not start at once")
  .meta({ example: 0 });
const keyId = Reference.describe("Key of the workspace that it acts for").meta({
  example: "key_Rn4Vb8Tq2M",
});

/** What a schedule is, as it is created. */
export const CreateSchedule = WorkspaceParams.extend({
  name,
  description: text(1024).default("").describe("What it is for"),
  ...launchMembers,
  cron: times.cron.describe(`${cron.description}; null if everySeconds is given`),
  everySeconds: times.everySeconds.describe(`${everySeconds.description}; null if cron is given`),
  timezone: times.timezone,
  overlap: overlap.default("skip").describe(`${overlap.description}; skip by default`),
  missed: missed.default("last").describe(`${missed.description}; last by default`),
  jitterSeconds: jitterSeconds.default(0).describe(`${jitterSeconds.description}; 0 by default`),
  isPaused: z.boolean().default(false).describe("Whether it does not fire for now"),
  keyId: optional(keyId).describe(
    "Key of the workspace that it acts for; the caller's own by default, or an admin's for an operator",
  ),
});
export type CreateSchedule = z.output<typeof CreateSchedule>;

const scheduleId = Reference.describe("Id of the schedule").meta({ example: "sch_Pw3Ke7Hn5D" });
export const ScheduleIdentity = WorkspaceParams.extend({ scheduleId });
export type ScheduleIdentity = z.output<typeof ScheduleIdentity>;

const version = fromQuery(z.int().min(0))
  .describe("Version that the change is based on")
  .meta({ example: 0 });
export const VersionedSchedule = ScheduleIdentity.extend({ version });
export type VersionedSchedule = z.output<typeof VersionedSchedule>;

export const UpdateSchedule = VersionedSchedule.extend({
  name: optional(name).describe("Name of the schedule"),
  description: optional(text(1024)).describe("What it is for"),
  agent: launchMembers.agent.describe("The agent that answers from now on"),
  function: launchMembers.function.describe("The function that is invoked from now on"),
  cron: optional(cron).describe("When it fires, in place of what it had"),
  everySeconds: optional(everySeconds).describe(
    "Seconds between two firings, in place of what it had",
  ),
  timezone: optional(RequestedTimezone).describe("IANA time zone of the cron expression"),
  overlap: optional(Overlap).describe("What happens when the firing before still runs"),
  missed: optional(Missed).describe("What happens to times that passed"),
  jitterSeconds: optional(jitterSeconds).describe("Seconds by which firings start late, at most"),
  isPaused: optional(z.boolean()).describe("Pauses or resumes it"),
  keyId: optional(keyId).describe("Key that it acts for from now on"),
});
export type UpdateSchedule = z.output<typeof UpdateSchedule>;

/** How a firing stands. */
export const FiringStatus = z.enum(["planned", "waiting", "started", "skipped", "failed"]);
export type FiringStatus = z.infer<typeof FiringStatus>;

/** One time of a schedule, and what came of it. */
export const ScheduleFiring = z.object({
  sId: z.string().describe("Id of the firing").meta({ example: "fir_Yd6Jm1Xc9Q" }),
  scheduleId: z.string().describe("Id of the schedule").meta({ example: "sch_Pw3Ke7Hn5D" }),
  slot: Milliseconds.describe("The time that it stands for"),
  status: FiringStatus.describe(
    "`planned` for its time, `waiting` for the firing before or for another attempt, `started`, `skipped`, or `failed`",
  ),
  isManual: z.boolean().describe("Whether a request asked for it"),
  startedAt: Milliseconds.nullable().describe("When it was started").meta({ example: null }),
  conversationId: z
    .string()
    .nullable()
    .describe("Conversation that it started or went on with")
    .meta({ example: "Kd82jXq0Pz" }),
  messageId: z.string().nullable().describe("The agent's message").meta({ example: "Vn4tR9sWy1" }),
  invocationId: z
    .string()
    .nullable()
    .describe("Invocation that it started")
    .meta({ example: null }),
  reason: z
    .string()
    .nullable()
    .describe("Why it was skipped or failed, or why it waits")
    .meta({ example: null }),
});
export type ScheduleFiring = z.infer<typeof ScheduleFiring>;

export const SchedulePausedFor = z
  .enum(["request", "key_revoked"])
  .describe(
    "Why it is paused: a request did it (`request`), or the key that it acts for is no longer valid (`key_revoked`)",
  );
export type SchedulePausedFor = z.infer<typeof SchedulePausedFor>;

/** A schedule. */
export const Schedule = z.object({
  sId: z.string().describe("Id of the schedule").meta({ example: "sch_Pw3Ke7Hn5D" }),
  name: z.string().describe("Name of the schedule").meta({ example: "Daily report" }),
  description: z.string().describe("What it is for").meta({ example: "For the morning meeting" }),
  agent: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The agent that answers, as it was given")
    .meta({ example: { agentId: "helper", message: "Write the report of yesterday's orders." } }),
  function: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The function that is invoked, as it was given")
    .meta({ example: null }),
  cron: z.string().nullable().describe("When it fires").meta({ example: "0 9 * * MON-FRI" }),
  everySeconds: z.int().nullable().describe("Seconds between two firings").meta({ example: null }),
  timezone: Timezone.describe("IANA time zone of the cron expression"),
  overlap,
  missed,
  jitterSeconds,
  keyId: z
    .string()
    .nullable()
    .describe("Key that it acts for; null once that is deleted")
    .meta({ example: "key_Rn4Vb8Tq2M" }),
  pausedFor: SchedulePausedFor.nullable()
    .describe("Why it does not fire; null while it does")
    .meta({ example: null }),
  pausedAt: Milliseconds.nullable().describe("When it was paused").meta({ example: null }),
  failingSince: Milliseconds.nullable()
    .describe("Since when every firing has failed; null if the last one started")
    .meta({ example: null }),
  nextSlot: Milliseconds.nullable().describe("When it fires next; null while it is paused"),
  lastFiring: ScheduleFiring.nullable()
    .describe("The last time that it fired")
    .meta({ example: null }),
  version: z.int().describe("Version, required for changes").meta({ example: 0 }),
  createdAt: Milliseconds.describe("When it was created"),
  updatedAt: Milliseconds.describe("When it was last changed"),
});
export type Schedule = z.infer<typeof Schedule>;

export const AdministeredSchedule = z.object({ schedule: Schedule.describe("The schedule") });

export const SchedulePage = z.object({
  schedules: z.array(Schedule).describe("Schedules, oldest first"),
  ...pageEnd,
});
export type SchedulePage = z.infer<typeof SchedulePage>;

export const ListFirings = ScheduleIdentity.extend({
  status: optional(FiringStatus).describe("Only firings with this status"),
  ...pageByNumber("Firings", 20),
});
export type ListFirings = z.output<typeof ListFirings>;

export const FiringPage = z.object({
  firings: z.array(ScheduleFiring).describe("Firings, newest first"),
  ...pageEnd,
});
export type FiringPage = z.infer<typeof FiringPage>;

export const PreviewSchedule = WorkspaceParams.extend({
  cron: times.cron.describe(`${cron.description}; null if everySeconds is given`),
  everySeconds: times.everySeconds.describe(`${everySeconds.description}; null if cron is given`),
  timezone: times.timezone,
  count: z
    .int()
    .min(1)
    .max(50)
    .default(5)
    .describe("Times to give, 1 to 50; 5 by default")
    .meta({ example: 5 }),
});
export type PreviewSchedule = z.output<typeof PreviewSchedule>;

export const SchedulePreview = z.object({
  slots: z.array(Milliseconds).describe("The next times at which such a schedule fires"),
});
export type SchedulePreview = z.infer<typeof SchedulePreview>;

export const StartedFiring = z.object({ firing: ScheduleFiring.describe("The firing") });
export type StartedFiring = z.infer<typeof StartedFiring>;
