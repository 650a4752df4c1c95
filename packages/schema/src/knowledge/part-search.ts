import * as z from "zod";
import { administer, administered, get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { fromQuery, listFromQuery, Milliseconds, optional, text } from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";

const instant = optional(TimeFromQuery);

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

/** A way in which a part is found. */
export const FoundBy = z.enum(["words", "pieces", "meaning"]);
export type FoundBy = z.infer<typeof FoundBy>;

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
  foundBy: z
    .array(FoundBy)
    .describe("How it was found: by words, by pieces of words such as codes, or by meaning"),
});

/** How a search compares meanings. */
export const SearchMode = z.enum(["word", "re-ranked", "exact", "hnsw"]);
export type SearchMode = z.infer<typeof SearchMode>;

const mode = SearchMode.describe(
  "How meanings are compared: `word`: not at all; `re-ranked`: of what words have found; `exact`: of all parts; `hnsw`: of what an index of the vectors gives",
);

export const FoundParts = z.object({
  parts: z.array(FoundPart).describe("Best matches first"),
  mode,
  modeReason: z
    .string()
    .nullable()
    .describe("Why meanings are not compared although the workspace has a model for it; else null")
    .meta({ example: null }),
});
export type FoundParts = z.infer<typeof FoundParts>;

/** How far the vectors of a workspace's documents are. */
export const KnowledgeStatus = z.object({
  mode: mode.describe("How searches of all documents compare meanings at present"),
  embedding: z
    .object({
      providerId: z.string().describe("Provider of the model").meta({ example: "openai" }),
      modelId: z
        .string()
        .describe("Model of the provider")
        .meta({ example: "text-embedding-3-small" }),
      dimensions: z
        .int()
        .nullable()
        .describe("Dimensions of its vectors; null before the first one")
        .meta({ example: 1536 }),
      askedDimensions: z
        .int()
        .nullable()
        .describe("Dimensions that are asked for; null for as many as the model gives")
        .meta({ example: null }),
      state: z
        .enum(["complete", "building", "budget", "unpriced", "credential", "service"])
        .describe(
          "`complete`, `building`, or why it stopped: a budget is used up, a hard budget applies and the model has no price, its credential is missing or refused, or its service fails",
        ),
      problem: z.string().nullable().describe("What stopped it, in words").meta({ example: null }),
      retryAt: Milliseconds.nullable()
        .describe("When it continues, if it stopped")
        .meta({ example: null }),
      isReplacing: z
        .boolean()
        .describe("Whether searches use the vectors of the model before until these are complete")
        .meta({ example: false }),
    })
    .nullable()
    .describe("The vectors of the workspace's model; null without one"),
  parts: z.int().describe("Parts that the documents are divided into").meta({ example: 120 }),
  embeddedParts: z
    .int()
    .describe("Those of them with a vector of the model")
    .meta({ example: 120 }),
});
export type KnowledgeStatus = z.infer<typeof KnowledgeStatus>;

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
  "knowledge.status": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/knowledge`,
      input: WorkspaceParams,
    }),
    summary: "Read how documents are searched, and how many parts have a vector",
    output: KnowledgeStatus,
  },
} as const satisfies Record<string, Endpoint>;
