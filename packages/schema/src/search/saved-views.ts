import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { fitsBytes, fromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";

/** Saved views of a user at most. */
export const MAX_SAVED_VIEWS = 100;
/** Bytes of the query that a view saves. */
const MAX_QUERY_BYTES = 2048;

/** The pages whose state can be saved. */
export const SavedPage = z.enum(["conversations", "runs", "search", "audit", "usage"]);
export type SavedPage = z.infer<typeof SavedPage>;

const name = text(100, 1)
  .refine((value) => value.trim() !== "", "must not be blank")
  .describe("Name of the view, which its owner has once for a page")
  .meta({ example: "Failed today" });
const page = SavedPage.describe("Page that it is of").meta({ example: "runs" });
const query = text(MAX_QUERY_BYTES)
  .refine((value) => fitsBytes(value, MAX_QUERY_BYTES), {
    error: `must be at most ${MAX_QUERY_BYTES} bytes of UTF-8`,
  })
  .refine((value) => !value.startsWith("?"), "must be without a leading ?")
  .describe("Query of the page's URL, without the leading ?")
  .meta({ example: "status=errored" });
const isShared = z.boolean();

/** A state of a page that somebody has named. */
export const SavedView = z.object({
  sId: z.string().describe("Id of the view").meta({ example: "svw_Bn7Yt2Kq4L" }),
  page,
  name: z.string().describe("Name of the view").meta({ example: "Failed today" }),
  query: z.string().describe("Query of the page's URL").meta({ example: "status=errored" }),
  isShared: isShared.describe("Whether everybody in the workspace sees it"),
  isOwn: z.boolean().describe("Whether it is the caller's, who alone may change it"),
  version: z.int().describe("Version, required for changes").meta({ example: 0 }),
  createdAt: Milliseconds.describe("When it was created"),
  updatedAt: Milliseconds.describe("When it was last changed"),
});
export type SavedView = z.infer<typeof SavedView>;

export const ListSavedViews = WorkspaceParams.extend({
  page: optional(SavedPage).describe("Only views of this page"),
  ...pageByNumber("Views"),
});
export type ListSavedViews = z.output<typeof ListSavedViews>;

export const SavedViewPage = z.object({
  savedViews: z.array(SavedView).describe("Own and shared views, oldest first"),
  ...pageEnd,
});
export type SavedViewPage = z.infer<typeof SavedViewPage>;

export const CreateSavedView = WorkspaceParams.extend({
  page,
  name,
  query,
  isShared: isShared
    .default(false)
    .describe("Whether everybody in the workspace sees it, which builders may ask for"),
});
export type CreateSavedView = z.output<typeof CreateSavedView>;

const version = fromQuery(z.int().min(0))
  .describe("Version that the change is based on")
  .meta({ example: 0 });
export const VersionedSavedView = WorkspaceParams.extend({
  savedViewId: Reference.describe("Id of the view").meta({ example: "svw_Bn7Yt2Kq4L" }),
  version,
});
export type VersionedSavedView = z.output<typeof VersionedSavedView>;

export const UpdateSavedView = VersionedSavedView.extend({
  name: optional(name).describe("Name of the view"),
  query: optional(query).describe("Query of the page's URL, without the leading ?"),
  isShared: optional(isShared).describe(
    "Whether everybody in the workspace sees it, which builders may ask for",
  ),
});
export type UpdateSavedView = z.output<typeof UpdateSavedView>;

export const OneSavedView = z.object({ savedView: SavedView.describe("The view") });
export type OneSavedView = z.infer<typeof OneSavedView>;
