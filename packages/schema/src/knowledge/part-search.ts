import * as z from "zod";
import { get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { fromQuery, listFromQuery, Milliseconds, optional, text } from "../parsing/text.ts";
import { timeOf } from "../parsing/times.ts";

const instant = optional(timeOf(fromQuery(z.int().min(0))));

/** Query of the search of parts. */
export const SearchKnowledge = z.object({
  query: text(1000, 1)
    .describe("What to look for: words, codes, or a question")
    .meta({ example: "opening hours" }),
  limit: optional(fromQuery(z.int().min(1).max(50)))
    .transform((limit) => limit ?? 10)
    .describe("Parts to find, 1 to 50; 10 by default")
    .meta({ example: 10 }),
  dataSourceIds: listFromQuery().describe("Only in these data sources"),
  tags: listFromQuery().describe("Only documents with one of these tags"),
  excludedTags: listFromQuery().describe("Only documents with none of these tags"),
  folderIds: listFromQuery().describe("Only documents in one of these folders"),
  after: instant.describe("Only documents changed after this time, in milliseconds"),
  before: instant.describe("Only documents changed before this time"),
});
export type SearchKnowledge = z.output<typeof SearchKnowledge>;

/** A part of a document, as an agent would be given it. */
const FoundPart = z.object({
  dataSourceId: z.string().describe("Id of the data source").meta({ example: "dts_Mx2Cf9Jt6R" }),
  dataSourceName: z.string().describe("Name of the data source").meta({ example: "Handbook" }),
  spaceId: z.string().describe("Space of the data source").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  documentId: z.string().describe("Id of the document").meta({ example: "opening-hours" }),
  title: z.string().describe("Title of the document").meta({ example: "Opening hours" }),
  sourceUrl: z.string().nullable().describe("Origin of the document"),
  timestamp: Milliseconds.describe("When the document last changed"),
  partId: z
    .string()
    .describe("Id of the part: the same while its text and its place do not change")
    .meta({ example: "5f2c9f0c6a1b4d7e8f901234" }),
  headings: z
    .array(z.string())
    .describe("The headings that the part stands below, from the outermost on")
    .meta({ example: [] }),
  content: z.string().describe("Text of the part").meta({ example: "We open at nine." }),
  start: z.int().describe("Where the part begins in the document's text").meta({ example: 0 }),
  end: z.int().describe("Where it ends").meta({ example: 16 }),
  score: z
    .number()
    .describe("Sum of the reciprocals of its ranks: only for the order of one search")
    .meta({ example: 0.0328 }),
});

export const FoundParts = z.object({
  parts: z.array(FoundPart).describe("Best matches first"),
});
export type FoundParts = z.infer<typeof FoundParts>;

/** The search that agents have, for people and their programs. */
export const partSearchEndpoints = {
  "knowledge.search": {
    ...get,
    scope: "knowledge:read",
    tags: ["knowledge"],
    summary: "Search the documents that the caller reaches as agents do",
    path: "/api/v1/w/{wId}/knowledge/search",
    params: WorkspaceParams,
    query: SearchKnowledge,
    output: FoundParts,
  },
} as const satisfies Record<string, Endpoint>;
