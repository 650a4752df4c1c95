import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { fromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { Time } from "../parsing/times.ts";

/** Trace destinations of a workspace at most. */
export const MAX_TRACE_DESTINATIONS = 10;
/** How far a destination may be behind: runs that ended longer ago are skipped and counted. */
export const MAX_TRACE_BACKLOG_MS = 7 * 86_400_000;
/** How long ago a period that is sent again may begin. */
export const MAX_TRACE_EXPORT_MS = 31 * 86_400_000;
const MAX_HEADERS = 16;
const MAX_SLOW_MS = 86_400_000;

const DestinationUrl = text(2048, 1).refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  );
}, "must be an https URL without a user and a password");

/** Names of HTTP headers, without those that the connection and the encoding set. */
const HeaderName = text(128, 1).regex(
  /^(?!(?:host|connection|content-length|content-type|content-encoding|transfer-encoding|upgrade|te|trailer|user-agent)$)[!#$%&'*+.^_`|~0-9A-Za-z-]+$/i,
  { error: "must be the name of a header that clients may set" },
);
const HeaderValue = text(8192, 1).regex(/^[\t\x20-\x7e]+$/, {
  error: "must be printable ASCII",
});
const Headers = z
  .record(HeaderName, HeaderValue)
  .refine(
    (headers) => Object.keys(headers).length <= MAX_HEADERS,
    `must be at most ${MAX_HEADERS} headers`,
  );

export const TraceEncoding = z.enum(["protobuf", "json"]);
export type TraceEncoding = z.infer<typeof TraceEncoding>;

const name = text(64, 1).describe("Name of the destination").meta({ example: "Collector" });
const url = DestinationUrl.describe(
  "Where traces are sent with POST: the whole URL, as a rule with the path `/v1/traces`",
).meta({ example: "https://collector.example/v1/traces" });
const said = {
  headers: "Headers of each request; stored encrypted and never shown",
  content: "Whether the parameters and results of calls and the words of errors are sent",
  percent: "Percentage of traces to send; those of failed runs are always sent",
} as const;
const sendsContent = z.boolean().describe(said.content);
const percent = z.number().min(0).max(100).describe(said.percent).meta({ example: 100 });
const slowMs = z
  .int()
  .min(1)
  .max(MAX_SLOW_MS)
  .nullish()
  .describe(
    "Traces of runs that took this many milliseconds are always sent; null for no such rule",
  )
  .meta({ example: 30_000 });
const example = {
  url: { example: "https://collector.example/v1/traces" },
  headers: { example: { Authorization: "Bearer collector-key" } },
} as const;

/** An attempt to send traces. */
const TraceAttempt = z.object({
  at: Milliseconds.describe("When it ended"),
  status: z
    .int()
    .nullable()
    .describe("Status of the answer; null without one")
    .meta({ example: 200 }),
  error: z
    .string()
    .nullable()
    .describe("Why it failed, or what was refused")
    .meta({ example: null }),
  isTest: z.boolean().describe("Whether it sent a sample"),
});

/** A trace destination, without the values of its headers. */
export const TraceDestination = z.object({
  sId: z.string().describe("Id of the destination").meta({ example: "trd_Hs8Kq2Lw0P" }),
  name: z.string().describe("Name of the destination").meta({ example: "Collector" }),
  url: z.string().describe("Where traces are sent").meta({
    example: "https://collector.example/v1/traces",
  }),
  encoding: TraceEncoding.describe("How they are encoded"),
  headerNames: z
    .array(z.string())
    .describe("Names of the headers that each request has")
    .meta({ example: ["Authorization"] }),
  sendsContent,
  percent,
  slowMs: z
    .int()
    .nullable()
    .describe("Traces of runs that took this many milliseconds are always sent")
    .meta({ example: 30_000 }),
  isEnabled: z.boolean().describe("Whether traces are sent"),
  exportedUntil: Milliseconds.describe("Traces of runs that ended up to this time were sent"),
  failingSince: Milliseconds.nullable()
    .describe("Since when every attempt has failed; null if the last one succeeded")
    .meta({ example: null }),
  lastAttempt: TraceAttempt.nullable().describe("The last attempt; null before the first"),
  sentSpans: z.int().describe("Spans that were accepted").meta({ example: 1280 }),
  rejectedSpans: z
    .int()
    .describe("Spans that the destination refused for good")
    .meta({ example: 0 }),
  skippedRuns: z
    .int()
    .describe("Runs that were skipped because the destination was too far behind")
    .meta({ example: 0 }),
  exporting: z
    .object({
      from: Milliseconds.describe("Runs that ended at or after this time are sent again"),
      to: Milliseconds.describe("Runs that ended before this time are sent again"),
    })
    .nullable()
    .describe("What is left of a period that is sent again; null for none"),
  version: z.int().describe("Version, required for changes").meta({ example: 0 }),
  createdAt: Milliseconds.describe("When it was created"),
  updatedAt: Milliseconds.describe("When it was last changed"),
});
export type TraceDestination = z.infer<typeof TraceDestination>;

export const AdministeredTraceDestination = z.object({
  traceDestination: TraceDestination.describe("The destination"),
});
export type AdministeredTraceDestination = z.infer<typeof AdministeredTraceDestination>;

export const CreateTraceDestination = WorkspaceParams.extend({
  name,
  url,
  encoding: TraceEncoding.default("protobuf").describe(
    "How they are encoded: OTLP in `protobuf`, the default, or in `json`",
  ),
  headers: optional(Headers).describe(said.headers).meta(example.headers),
  sendsContent: z.boolean().default(false).describe(`${said.content}; false by default`),
  percent: percent.default(100).describe(`${said.percent}; 100 by default`),
  slowMs,
  isEnabled: z.boolean().default(true).describe("Whether traces are sent; true by default"),
});
export type CreateTraceDestination = z.output<typeof CreateTraceDestination>;

const traceDestinationId = Reference.describe("Id of the destination").meta({
  example: "trd_Hs8Kq2Lw0P",
});
export const TraceDestinationIdentity = WorkspaceParams.extend({ traceDestinationId });
export type TraceDestinationIdentity = z.output<typeof TraceDestinationIdentity>;

const version = fromQuery(z.int().min(0))
  .describe("Version that the change is based on")
  .meta({ example: 0 });
export const VersionedTraceDestination = TraceDestinationIdentity.extend({ version });
export type VersionedTraceDestination = z.output<typeof VersionedTraceDestination>;

export const UpdateTraceDestination = VersionedTraceDestination.extend({
  name: optional(name).describe("Name of the destination").meta({ example: "Collector" }),
  url: optional(url).describe("Where traces are sent with POST").meta(example.url),
  encoding: optional(TraceEncoding).describe("How they are encoded"),
  headers: optional(Headers)
    .describe(
      "Headers of each request, in place of all earlier ones; required with a URL of another server",
    )
    .meta(example.headers),
  sendsContent: optional(z.boolean()).describe(said.content),
  percent: optional(percent).describe(said.percent).meta({ example: 100 }),
  slowMs,
  isEnabled: optional(z.boolean()).describe("Switches it on or off"),
});
export type UpdateTraceDestination = z.output<typeof UpdateTraceDestination>;

export const ExportTraces = TraceDestinationIdentity.extend({
  from: Time.describe(
    "Traces of runs that ended at or after this time are sent again, at most 31 days ago",
  ).meta({ example: 1_780_000_000_000 }),
  to: optional(Time).describe("Only those that ended before this time; now by default"),
});
export type ExportTraces = z.output<typeof ExportTraces>;
