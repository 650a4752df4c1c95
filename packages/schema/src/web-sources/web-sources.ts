import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { pageByNumber } from "../parsing/page.ts";
import { fromQuery, Milliseconds, optional, Reference, ShortText, text } from "../parsing/text.ts";
import { RequestedTimezone, Timezone } from "../parsing/timezones.ts";

/** Web sources of a data source at most. */
export const MAX_WEB_SOURCES = 10;
/** Pages of a web source at most. */
export const MAX_WEB_PAGES = 1000;
const MAX_DEPTH = 10;
const MAX_TAGS = 16;
const MIN_EVERY_SECONDS = 300;
const MAX_EVERY_SECONDS = 366 * 86_400;

const WebUrl = text(2048, 1).refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  );
}, "must be an http or https URL without a user and a password");

const WebSourceKind = z.enum(["page", "sitemap", "crawl"]);
const kind = WebSourceKind.describe(
  "What is read: the one `page`, the pages of a `sitemap`, or by a `crawl` the page and what it links to",
);
const url = WebUrl.describe("Where reading begins; only pages of its origin are read").meta({
  example: "https://example.com/help",
});
const depth = z
  .int()
  .min(0)
  .max(MAX_DEPTH)
  .describe("Links that a crawl follows one after the other, 0 to 10")
  .meta({ example: 2 });
const maxPages = z
  .int()
  .min(1)
  .max(MAX_WEB_PAGES)
  .describe("Pages that are read at most, 1 to 1,000")
  .meta({ example: 100 });
const cron = text(200, 1)
  .describe("When it is read again, as of schedules; null for no such times")
  .meta({ example: "0 3 * * *" });
const everySeconds = z
  .int()
  .min(MIN_EVERY_SECONDS)
  .max(MAX_EVERY_SECONDS)
  .describe("Seconds after which it is read again, at least 300; null for no such times")
  .meta({ example: 86_400 });
const tags = z
  .array(ShortText.min(1))
  .max(MAX_TAGS)
  .describe("Tags of its documents")
  .meta({ example: ["help"] });

export const CreateWebSource = WorkspaceParams.extend({
  dataSourceViewId: Reference.describe("View of the data source that it fills").meta({
    example: "dsv_Mx2Cf9Jt6R",
  }),
  url,
  kind,
  depth: depth.default(2).describe(`${depth.description}; 2 by default`),
  maxPages: maxPages.default(100).describe(`${maxPages.description}; 100 by default`),
  tags: tags.default([]).describe(tags.description ?? ""),
  cron: cron.nullish().describe(cron.description ?? ""),
  everySeconds: everySeconds.nullish().describe(everySeconds.description ?? ""),
  timezone: RequestedTimezone.default("UTC").describe(
    "IANA time zone of the cron expression; UTC by default",
  ),
});
export type CreateWebSource = z.output<typeof CreateWebSource>;

const webSourceId = Reference.describe("Id of the web source").meta({ example: "web_Qs6Vn1Lk4T" });
export const WebSourceIdentity = WorkspaceParams.extend({ webSourceId });
export type WebSourceIdentity = z.output<typeof WebSourceIdentity>;

const version = fromQuery(z.int().min(0))
  .describe("Version that the change is based on")
  .meta({ example: 0 });
export const VersionedWebSource = WebSourceIdentity.extend({ version });
export type VersionedWebSource = z.output<typeof VersionedWebSource>;

export const UpdateWebSource = VersionedWebSource.extend({
  depth: optional(depth).describe(depth.description ?? ""),
  maxPages: optional(maxPages).describe(maxPages.description ?? ""),
  tags: optional(tags).describe("Tags of its documents, from the next time that they change on"),
  cron: cron.nullish().describe("When it is read again, in place of what it had; null for never"),
  everySeconds: everySeconds
    .nullish()
    .describe("Seconds after which it is read again, in place of what it had; null for never"),
  timezone: optional(RequestedTimezone).describe("IANA time zone of the cron expression"),
});
export type UpdateWebSource = z.output<typeof UpdateWebSource>;

/** How the last refresh went. */
const WebRefresh = z.object({
  startedAt: Milliseconds.describe("When it was started"),
  endedAt: Milliseconds.describe("When it ended"),
  outcome: z
    .enum(["succeeded", "failed", "cancelled"])
    .describe("`failed` if nothing could be read; single pages that failed are counted"),
  failure: z.string().nullable().describe("Why it failed").meta({ example: null }),
  read: z.int().describe("Pages that were read, or have not changed").meta({ example: 12 }),
  skipped: z.int().describe("Pages that are not to be read").meta({ example: 1 }),
  failed: z.int().describe("Pages that could not be read").meta({ example: 0 }),
  removed: z
    .int()
    .describe("Pages that were removed, as nothing leads to them")
    .meta({ example: 0 }),
});
export type WebRefresh = z.infer<typeof WebRefresh>;

/** What of the web a data source is filled from. */
export const WebSource = z.object({
  sId: z.string().describe("Id of the web source").meta({ example: "web_Qs6Vn1Lk4T" }),
  dataSourceViewId: z.string().describe("View of the data source that it fills").meta({
    example: "dsv_Mx2Cf9Jt6R",
  }),
  dataSourceId: z.string().describe("The data source").meta({ example: "dts_Mx2Cf9Jt6R" }),
  url,
  kind,
  depth,
  maxPages,
  tags,
  cron: cron.nullable().describe(cron.description ?? ""),
  everySeconds: everySeconds.nullable().describe(everySeconds.description ?? ""),
  timezone: Timezone.describe("IANA time zone of the cron expression"),
  isRefreshing: z.boolean().describe("Whether it is read now, or waits for a worker"),
  nextRefreshAt: Milliseconds.nullable().describe("When it is read next; null for never, and now"),
  lastRefresh: WebRefresh.nullable().describe("How it went the last time; null before"),
  version: z.int().describe("Version, which changes name").meta({ example: 0 }),
  createdAt: Milliseconds.describe("When it was created"),
  updatedAt: Milliseconds.describe("When its settings were last changed"),
});
export type WebSource = z.infer<typeof WebSource>;

export const AdministeredWebSource = z.object({
  webSource: WebSource.describe("The web source"),
});
export type AdministeredWebSource = z.infer<typeof AdministeredWebSource>;

export const ListWebSources = WorkspaceParams.extend({
  ...pageByNumber("Web sources"),
  dataSourceViewId: optional(Reference).describe("Only those of this view"),
});
export type ListWebSources = z.output<typeof ListWebSources>;

const WebPageState = z.enum(["waiting", "read", "skipped", "failed"]);
export type WebPageState = z.infer<typeof WebPageState>;

/** A page of a web source. */
export const WebPage = z.object({
  url: z.string().describe("URL of the page").meta({ example: "https://example.com/help/returns" }),
  state: WebPageState.describe(
    "`waiting` to be read, `read`, `skipped` as it is not to be read, or `failed`",
  ),
  reason: z.string().nullable().describe("Why it was skipped or failed").meta({ example: null }),
  status: z.int().nullable().describe("Status of the last answer").meta({ example: 200 }),
  depth: z.int().describe("Links from where reading began").meta({ example: 1 }),
  documentId: z
    .string()
    .nullable()
    .describe("The document that it is; null for none")
    .meta({ example: "web_Qs6Vn1Lk4T/help/returns" }),
  checkedAt: Milliseconds.nullable().describe("When it was last asked for; null before"),
});
export type WebPage = z.infer<typeof WebPage>;

export const ListWebPages = WebSourceIdentity.extend({
  ...pageByNumber("Pages"),
  state: optional(WebPageState).describe("Only those in this state"),
});
export type ListWebPages = z.output<typeof ListWebPages>;
