import * as z from "zod";
import { administer, administered, get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { Milliseconds, optional, Reference, ShortText, text } from "../parsing/text.ts";
import { SpaceIdentity } from "../workspaces/spaces.ts";

const sId = z.string().describe("Id of the view").meta({ example: "dsv_Mx2Cf9Jt6R" });
const spaceId = z.string().describe("Space of the view").meta({ example: "vlt_Gw4Xs7Dq2M" });
const dataSourceId = z
  .string()
  .describe("Id of the data source")
  .meta({ example: "dts_Mx2Cf9Jt6R" });

/** A data source with its view, as it is administered. */
export const AdministeredDataSourceView = z.object({
  sId,
  dataSourceId,
  name: z.string().describe("Name of the data source").meta({ example: "Handbook" }),
  description: z.string().nullable().describe("Description of the data source"),
  provider: z.string().nullable().describe("Provider of the data source"),
  spaceId,
});
export type AdministeredDataSourceView = z.infer<typeof AdministeredDataSourceView>;

export const CreateDataSourceView = WorkspaceParams.extend({
  spaceId: Reference.describe("Space of the view").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  name: ShortText.min(1).describe("Name of the data source").meta({ example: "Handbook" }),
  description: optional(text(2048)).describe("Description of the data source"),
  provider: optional(ShortText).describe("Provider of the data source"),
});
export type CreateDataSourceView = z.output<typeof CreateDataSourceView>;

export const AdministeredViewIdentity = WorkspaceParams.extend({
  dataSourceViewId: Reference.describe("Id of the view").meta({ example: "dsv_Mx2Cf9Jt6R" }),
});

export const NodeIdentity = AdministeredViewIdentity.extend({
  nodeId: Reference.describe("Id of the node in its data source").meta({
    example: "opening-hours",
  }),
});

export const PutDataSourceNode = NodeIdentity.extend({
  nodeType: z.enum(["document", "table", "folder"]).describe("Kind of node"),
  title: ShortText.min(1).describe("Title of the node").meta({ example: "Opening hours" }),
  contentType: optional(ShortText).describe("MIME type of the content; text/plain by default"),
  content: optional(text(1024 * 1024)).describe("Text for agents"),
  sourceUrl: optional(text(2048)).describe("Origin of the content"),
});
export type PutDataSourceNode = z.output<typeof PutDataSourceNode>;

export type NodeIdentity = z.output<typeof NodeIdentity>;

/** A data source: documents and folders that are uploaded together. */
export const DataSource = z.object({
  id: z.int().describe("Number of the data source").meta({ example: 1 }),
  sId: dataSourceId,
  createdAt: Milliseconds.describe("When the data source was created"),
  name: z.string().describe("Name of the data source").meta({ example: "Handbook" }),
  description: z.string().nullable().describe("Description of the data source"),
  assistantDefaultSelected: z.boolean().describe("Always false"),
  dustAPIProjectId: z.string().describe("Id of the workspace").meta({ example: "Ab3dE5fG7h" }),
  dustAPIDataSourceId: z.string().describe("The same as sId").meta({ example: "dts_Mx2Cf9Jt6R" }),
  connectorId: z.null().describe("Always null: nothing synchronizes it"),
  connectorProvider: z.null().describe("Always null"),
  editedByUser: z.null().describe("Always null"),
});
export type DataSource = z.infer<typeof DataSource>;

/** What of a data source its space shows. */
export const DataSourceView = z.object({
  category: z.enum(["folder"]).describe("Always folder: its documents are uploaded"),
  createdAt: Milliseconds.describe("When the view was created"),
  updatedAt: Milliseconds.describe("When the view was last changed"),
  dataSource: DataSource.describe("The data source"),
  id: z.int().describe("Number of the view").meta({ example: 1 }),
  kind: z.enum(["default", "custom"]).describe("custom if it shows only a part of the data source"),
  parentsIn: z
    .array(z.string())
    .nullable()
    .describe(
      "Ids of the folders and documents that it shows, including everything below them; null for all",
    ),
  sId,
  spaceId,
  editedByUser: z.null().describe("Always null"),
});
export type DataSourceView = z.infer<typeof DataSourceView>;

const optionalSpace = optional(Reference)
  .describe("Space of the data source, in the paths below a space")
  .meta({ example: "vlt_Gw4Xs7Dq2M" });

/** Parameters of operations on all data sources, or on those of a space. */
export const DataSourcesParams = WorkspaceParams.extend({ spaceId: optionalSpace });
export type DataSourcesParams = z.output<typeof DataSourcesParams>;

/** Parameters of operations on what is in a data source. */
export const DataSourceParams = DataSourcesParams.extend({
  dsId: Reference.describe("Id of the data source").meta({ example: "dts_Mx2Cf9Jt6R" }),
});
export type DataSourceParams = z.output<typeof DataSourceParams>;

/** Parameters of operations on a view. */
export const DataSourceViewParams = WorkspaceParams.extend({
  spaceId: Reference.describe("Space of the view").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  dsvId: Reference.describe("Id of the view").meta({ example: "dsv_Mx2Cf9Jt6R" }),
});
export type DataSourceViewParams = z.output<typeof DataSourceViewParams>;

const parents = optional(z.array(Reference).max(1000));

/** Body of the update of a view: `parentsIn`, or what to add to it and to remove from it. */
export const UpdateDataSourceView = z
  .object({
    parentsIn: parents
      .describe(
        "Ids of what the view shows, including everything below them; an empty list for all",
      )
      .meta({ example: [] }),
    parentsToAdd: parents.describe("Ids to add to parentsIn"),
    parentsToRemove: parents.describe("Ids to remove from parentsIn; at least one must be left"),
  })
  .refine(
    ({ parentsIn, parentsToAdd, parentsToRemove }) =>
      (parentsIn !== undefined) !== (parentsToAdd !== undefined || parentsToRemove !== undefined),
    { error: "must have parentsIn, or one of parentsToAdd and parentsToRemove" },
  );
export type UpdateDataSourceView = z.output<typeof UpdateDataSourceView>;

/** Query of the search of views; each parameter narrows it. */
export const FindDataSourceViews = z.object({
  dataSourceId: optional(Reference).describe("Id of the data source"),
  kind: optional(ShortText).describe("Kind of view: default or custom"),
  vaultId: optional(Reference).describe("Id of the space"),
  vaultKind: optional(ShortText).describe("Kind of space, such as regular"),
});
export type FindDataSourceViews = z.output<typeof FindDataSourceViews>;

const views = `${administered}/data-source-views` as const;
const ofNode = {
  subject: ["dataSourceViewId", "nodeId"],
  output: Success,
  errors: ["workspace_not_found", "data_source_view_not_found"],
} as const;
const ofNodes = { ...ofNode, errors: [...ofNode.errors, "data_source_quota_error"] } as const;

const root = "/api/v1/w/{wId}";
const read = { ...get, scope: "knowledge:read", tags: ["knowledge"] } as const;
const ofView = {
  ...read,
  path: `${root}/spaces/{spaceId}/data_source_views/{dsvId}`,
  params: DataSourceViewParams,
  output: z.object({ dataSourceView: DataSourceView.describe("The view") }),
  errors: ["data_source_view_not_found"],
} as const;

/** Operations on data sources and the views of them. */
export const dataSourceEndpoints = {
  "dataSources.list": {
    ...read,
    summary: "List the data sources that the key can see",
    path: `${root}/data_sources`,
    alsoAt: `${root}/spaces/{spaceId}/data_sources`,
    params: DataSourcesParams,
    output: z.object({
      data_sources: z.array(DataSource).describe("Data sources, oldest first"),
    }),
    errors: ["space_not_found"],
  },
  "dataSourceViews.listInSpace": {
    ...read,
    summary: "List the data source views of a space",
    path: `${root}/spaces/{spaceId}/data_source_views`,
    params: SpaceIdentity,
    output: z.object({
      dataSourceViews: z.array(DataSourceView).describe("Views, oldest first"),
    }),
    errors: ["space_not_found"],
  },
  "dataSourceViews.get": { ...ofView, summary: "Read a data source view" },
  "dataSourceViews.update": {
    ...ofView,
    summary: "Set which part of its data source a view shows",
    method: "PATCH",
    role: "builder",
    scope: null,
    body: UpdateDataSourceView,
  },
  "dataSourceViews.create": {
    ...administer({
      role: "builder",
      method: "POST",
      path: views,
      input: CreateDataSourceView,
    }),
    summary: "Create a data source and its view",
    subject: [],
    output: z.object({
      dataSourceView: AdministeredDataSourceView.describe("The new data source's view"),
    }),
    errors: ["workspace_not_found", "space_not_found", "data_source_quota_error"],
  },
  "dataSourceViews.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: views,
      input: WorkspaceParams.extend(pageByNumber("Views")),
    }),
    summary: "List the data source views of a workspace",
    output: z.object({
      dataSourceViews: z.array(AdministeredDataSourceView).describe("Views, oldest first"),
      ...pageEnd,
    }),
  },
  "dataSourceViews.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${views}/{dataSourceViewId}`,
      input: AdministeredViewIdentity,
    }),
    summary: "Delete a data source with its view and everything in it",
    subject: ["dataSourceViewId"],
    output: Success,
    errors: ["workspace_not_found", "data_source_view_not_found"],
  },
  "dataSourceNodes.put": {
    ...administer({
      role: "builder",
      method: "PUT",
      path: `${views}/{dataSourceViewId}/nodes/{nodeId}`,
      input: PutDataSourceNode,
    }),
    ...ofNodes,
    summary: "Write a node of a data source view",
  },
  "dataSourceNodes.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${views}/{dataSourceViewId}/nodes/{nodeId}`,
      input: NodeIdentity,
    }),
    ...ofNode,
    summary: "Remove a node of a data source view",
  },
} as const satisfies Record<string, Endpoint>;
