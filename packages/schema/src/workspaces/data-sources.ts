import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { optional, Reference, ShortText, text } from "../parsing/text.ts";

/** What of a data source a space sees. */
export const DataSourceView = z.object({
  sId: z.string().describe("Id of the view").meta({ example: "dsv_Mx2Cf9Jt6R" }),
  name: z.string().describe("Name of the view").meta({ example: "Handbook" }),
  provider: z.string().nullable().describe("Provider of the data source"),
  spaceId: z.string().describe("Space of the view").meta({ example: "vlt_Gw4Xs7Dq2M" }),
});
export type DataSourceView = z.infer<typeof DataSourceView>;

export const CreateDataSourceView = WorkspaceParams.extend({
  spaceId: Reference.describe("Space of the view").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  name: ShortText.min(1).describe("Name of the view").meta({ example: "Handbook" }),
  provider: optional(ShortText).describe("Provider of the data source"),
});
export type CreateDataSourceView = z.output<typeof CreateDataSourceView>;

const NodeIdentity = WorkspaceParams.extend({
  dataSourceViewId: Reference.describe("Id of the view").meta({ example: "dsv_Mx2Cf9Jt6R" }),
  nodeId: Reference.describe("Id of the node in its data source").meta({
    example: "opening-hours",
  }),
});

export const PutDataSourceNode = NodeIdentity.extend({
  nodeType: z.enum(["document", "table", "folder"]).describe("Kind of node"),
  title: ShortText.min(1).describe("Title of the node").meta({ example: "Opening hours" }),
  contentType: optional(ShortText).describe("MIME type of the content; text/plain by default"),
  content: optional(text(1024 * 1024)).describe("Text that agents get"),
  sourceUrl: optional(text(2048)).describe("Where the content came from"),
});
export type PutDataSourceNode = z.output<typeof PutDataSourceNode>;

export const RemoveDataSourceNode = NodeIdentity;
export type RemoveDataSourceNode = z.output<typeof RemoveDataSourceNode>;
