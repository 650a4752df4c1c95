import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { fromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { type AlertMeasure as Measured, alertMeasures } from "./built-in-alerts.ts";

/** Alerts that a workspace adds at most. */
export const MAX_ALERTS = 50;
/** Incidents that have ended and are kept, for so many days. */
export const INCIDENTS_KEPT_DAYS = 400;
const MAX_WINDOW_MINUTES = 24 * 60;
const MAX_THRESHOLD = 1e12;

// The table has these members.
const AlertMeasure = z.enum(Object.keys(alertMeasures) as [Measured, ...Measured[]]);
const Comparison = z.enum(["above", "below"]);

const number = z.number().min(0).max(MAX_THRESHOLD);
const settings = {
  name: text(255, 1).describe("Name of the alert").meta({ example: "Support fails" }),
  measure: AlertMeasure.describe(
    "What it looks at: `error_rate` and `budget_spent` in percent, `first_token_p95`, `whole_p95` and `oldest_queued` in " +
      "milliseconds, or how many `answers`, `errors` or `live_workers` there are",
  ).meta({ example: "error_rate" }),
  agentId: Reference.describe("Only answers of this agent").meta({ example: "helper" }),
  comparison: Comparison.describe("Whether it opens above or below the threshold").meta({
    example: "above",
  }),
  threshold: number.describe("Beyond this number it opens").meta({ example: 20 }),
  until: number
    .describe("It ends once the measure is back at this number, not beyond the threshold")
    .meta({ example: 10 }),
  windowMinutes: z
    .int()
    .min(1)
    .max(MAX_WINDOW_MINUTES)
    .describe("How many minutes are looked at, of what happens over time")
    .meta({ example: 15 }),
  forMinutes: z
    .int()
    .min(0)
    .max(MAX_WINDOW_MINUTES)
    .describe("For how many minutes the measure must be beyond the threshold before it opens")
    .meta({ example: 0 }),
  minAnswers: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe("Answers in these minutes from which on a rate or a percentile counts")
    .meta({ example: 10 }),
  isEnabled: z.boolean().describe("Whether it is looked at"),
};

/** What an alert is, as it is created. */
export const CreateAlert = WorkspaceParams.extend({
  name: settings.name,
  measure: settings.measure,
  agentId: settings.agentId
    .nullish()
    .transform((value) => value ?? null)
    .describe(`${settings.agentId.description}; null for all`),
  comparison: settings.comparison
    .default("above")
    .describe(`${settings.comparison.description}; above by default`),
  threshold: settings.threshold,
  until: optional(settings.until).describe(
    `${settings.until.description}; the threshold by default`,
  ),
  windowMinutes: settings.windowMinutes
    .default(15)
    .describe(`${settings.windowMinutes.description}; 15 by default`),
  forMinutes: settings.forMinutes
    .default(0)
    .describe(`${settings.forMinutes.description}; 0 by default`),
  minAnswers: settings.minAnswers
    .default(10)
    .describe(`${settings.minAnswers.description}; 10 by default`),
  isEnabled: settings.isEnabled
    .default(true)
    .describe(`${settings.isEnabled.description}; true by default`),
});
export type CreateAlert = z.output<typeof CreateAlert>;

const alertId = Reference.describe("Id of the alert, or name of a built-in one").meta({
  example: "alr_Gk5Ts2Wq8N",
});
export const AlertIdentity = WorkspaceParams.extend({ alertId });
export type AlertIdentity = z.output<typeof AlertIdentity>;

const version = fromQuery(z.int().min(0))
  .describe("Version that the change is based on")
  .meta({ example: 0 });
export const VersionedAlert = AlertIdentity.extend({ version });
export type VersionedAlert = z.output<typeof VersionedAlert>;

export const UpdateAlert = VersionedAlert.extend({
  name: optional(settings.name).describe("Name of the alert"),
  agentId: settings.agentId.nullish().describe("Only answers of this agent; null for all"),
  comparison: optional(settings.comparison).describe(`${settings.comparison.description}`),
  threshold: optional(settings.threshold).describe(`${settings.threshold.description}`),
  until: optional(settings.until).describe(`${settings.until.description}`),
  windowMinutes: optional(settings.windowMinutes).describe(`${settings.windowMinutes.description}`),
  forMinutes: optional(settings.forMinutes).describe(`${settings.forMinutes.description}`),
  minAnswers: optional(settings.minAnswers).describe(`${settings.minAnswers.description}`),
  isEnabled: optional(settings.isEnabled).describe("Switches it on or off"),
});
export type UpdateAlert = z.output<typeof UpdateAlert>;

/** An alert, and since when it is open. */
export const Alert = z.object({
  sId: z.string().describe("Id of the alert; of a built-in one, its name").meta({
    example: "error-rate",
  }),
  isBuiltIn: z.boolean().describe("Whether each workspace has it"),
  ...settings,
  agentId: settings.agentId.nullable().describe("Only answers of this agent; null for all"),
  openSince: Milliseconds.nullable()
    .describe("When its incident opened; null while there is none")
    .meta({ example: null }),
  version: z.int().describe("Version, required for changes").meta({ example: 0 }),
  updatedAt: Milliseconds.nullable()
    .describe("When it was last changed; null for a built-in one that never was")
    .meta({ example: null }),
});
export type Alert = z.infer<typeof Alert>;

export const AdministeredAlert = z.object({ alert: Alert.describe("The alert") });
export const AlertList = z.object({
  alerts: z.array(Alert).describe("Built-in alerts, then those of the workspace, oldest first"),
});
export type AlertList = z.infer<typeof AlertList>;

/** A time in which a measure was beyond the threshold of an alert. */
export const AlertIncident = z.object({
  sId: z.string().describe("Id of the incident").meta({ example: "inc_Vw4Bn7Rd1S" }),
  alertId: z.string().describe("Id of the alert, or its name").meta({ example: "error-rate" }),
  name: z.string().describe("Name of the alert, then").meta({ example: "Many answers fail" }),
  measure: settings.measure,
  threshold: z.number().describe("The threshold, then").meta({ example: 10 }),
  value: z.number().describe("The measure when it opened").meta({ example: 24 }),
  worst: z.number().describe("The furthest that it has been from the threshold").meta({
    example: 31,
  }),
  beganAt: Milliseconds.describe("When the measure went beyond the threshold"),
  openedAt: Milliseconds.describe("When it had been there for long enough"),
  closedAt: Milliseconds.nullable().describe("When it ended; null while it is open").meta({
    example: null,
  }),
  closedFor: z
    .enum(["recovered", "changed"])
    .nullable()
    .describe("Why it ended: the measure recovered, or the alert was changed or switched off")
    .meta({ example: null }),
});
export type AlertIncident = z.infer<typeof AlertIncident>;

export const ListIncidents = WorkspaceParams.extend({
  alertId: optional(Reference).describe("Only incidents of this alert"),
  status: optional(z.enum(["open", "closed"])).describe("Only those that are open, or have ended"),
  ...pageByNumber("Incidents", 20),
});
export type ListIncidents = z.output<typeof ListIncidents>;

export const IncidentPage = z.object({
  incidents: z.array(AlertIncident).describe("Incidents, newest first"),
  ...pageEnd,
});
export type IncidentPage = z.infer<typeof IncidentPage>;
