import * as z from "zod";
import { OfWorkspace } from "../params.ts";
import { optional, Reference, ShortText, text } from "../parsing/text.ts";

/** What of a data source a space sees. */
export const DataSourceView = z.object({
  sId: z.string().describe("Id of the view"),
  name: z.string().describe("Name of the view"),
  provider: z.string().nullable().describe("Provider of the data source"),
  spaceId: z.string().describe("Space of the view"),
});
export type DataSourceView = z.infer<typeof DataSourceView>;

export const CreateDataSourceView = OfWorkspace.extend({
  spaceId: Reference.describe("Space of the view"),
  name: ShortText.min(1).describe("Name of the view"),
  provider: optional(ShortText).describe("Provider of the data source"),
});
export type CreateDataSourceView = z.output<typeof CreateDataSourceView>;

const NodeIdentity = OfWorkspace.extend({
  dataSourceViewId: Reference.describe("Id of the view"),
  nodeId: Reference.describe("Id of the node in its data source"),
});

export const PutDataSourceNode = NodeIdentity.extend({
  nodeType: z.enum(["document", "table", "folder"]).describe("Kind of node"),
  title: ShortText.min(1).describe("Title of the node"),
  contentType: optional(ShortText).describe("MIME type of the content; text/plain by default"),
  content: optional(text(1024 * 1024)).describe("Text that agents get"),
  sourceUrl: optional(text(2048)).describe("Where the content came from"),
});
export type PutDataSourceNode = z.output<typeof PutDataSourceNode>;

export const RemoveDataSourceNode = NodeIdentity;
export type RemoveDataSourceNode = z.output<typeof RemoveDataSourceNode>;
