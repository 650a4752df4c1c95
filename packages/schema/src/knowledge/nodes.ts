import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { pageEnd, pageQuery } from "../parsing/page.ts";
import { Milliseconds, optional, Reference } from "../parsing/text.ts";
import { AdministeredViewIdentity, NodeIdentity } from "./data-sources.ts";

/** How far a document is divided into the parts by which agents find it. */
export const DivisionState = z.enum(["waiting", "divided", "failed"]);
export type DivisionState = z.infer<typeof DivisionState>;

/** A node of a data source, as it is administered. */
export const AdministeredNode = z.object({
  nodeId: z.string().describe("Id in the data source").meta({ example: "opening-hours" }),
  nodeType: z.enum(["document", "table", "folder"]).describe("Kind of node"),
  title: z.string().describe("Title").meta({ example: "Opening hours" }),
  contentType: z.string().describe("MIME type of the content").meta({ example: "text/plain" }),
  bytes: z.int().describe("Bytes of the text, as UTF-8").meta({ example: 16 }),
  tags: z.array(z.string()).describe("Tags"),
  sourceUrl: z.string().nullable().describe("Origin of the content"),
  timestamp: Milliseconds.describe("When the content last changed at its origin"),
  updatedAt: Milliseconds.describe("When it was last written here"),
  division: z
    .object({
      state: DivisionState.describe(
        "waiting until it is divided into the parts that agents find; failed if it cannot be",
      ),
      failure: z.string().nullable().describe("Why it could not be divided; null unless it failed"),
      endedAt: Milliseconds.nullable().describe("When it was divided or failed; null before"),
    })
    .nullable()
    .describe("Its division into parts; null for folders and tables"),
});
export type AdministeredNode = z.infer<typeof AdministeredNode>;

export const ListDataSourceNodes = AdministeredViewIdentity.extend({
  ...pageQuery("Nodes", { defaultLimit: 50, place: Reference }),
  state: optional(DivisionState).describe("Only documents in this state of their division"),
});
export type ListDataSourceNodes = z.output<typeof ListDataSourceNodes>;

export const AdministeredNodePage = z.object({
  nodes: z.array(AdministeredNode).describe("Documents, folders and tables, by their ids"),
  totals: z
    .object({
      nodes: z.int().describe("Nodes of the data source").meta({ example: 1 }),
      bytes: z.int().describe("Bytes of their texts").meta({ example: 16 }),
      waiting: z.int().describe("Documents that are not divided yet").meta({ example: 0 }),
      failed: z.int().describe("Documents that could not be divided").meta({ example: 0 }),
    })
    .describe("What the data source holds in all"),
  ...pageEnd,
});
export type AdministeredNodePage = z.infer<typeof AdministeredNodePage>;

const nodes = `${administered}/data-source-views/{dataSourceViewId}/nodes` as const;

/** Operations that show what data sources hold, and how far it is found. */
export const nodeEndpoints = {
  "dataSourceNodes.list": {
    ...administer({ role: "user", method: "GET", path: nodes, input: ListDataSourceNodes }),
    scope: "knowledge:read",
    summary: "List the nodes of a data source with the state of their division",
    output: AdministeredNodePage,
    errors: ["workspace_not_found", "data_source_view_not_found"],
  },
  "dataSourceNodes.divide": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${nodes}/{nodeId}/divide`,
      input: NodeIdentity,
    }),
    subject: ["dataSourceViewId", "nodeId"],
    storesLittle: true,
    summary: "Divide a document again, such as one whose division failed",
    output: Success,
    errors: ["workspace_not_found", "data_source_view_not_found", "data_source_document_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
