import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { FoundMessagePage, SearchMessages } from "./message-search.ts";
import { FindId, NamedIds } from "./named-ids.ts";
import {
  CreateSavedView,
  ListSavedViews,
  OneSavedView,
  SavedViewPage,
  UpdateSavedView,
  VersionedSavedView,
} from "./saved-views.ts";

const ofView = {
  subject: ["savedViewId"],
  errors: ["workspace_not_found", "saved_view_not_found", "app_auth_error", "version_conflict"],
} as const;
const views = `${administered}/saved-views` as const;

/** Operations that find things in a workspace, and on views that people have saved. */
export const searchEndpoints = {
  "search.messages": {
    ...administer({
      role: "user",
      method: "GET",
      path: `${administered}/search/messages`,
      input: SearchMessages,
    }),
    scope: "conversations:read",
    // As the other searches.
    rateLimit: "read",
    summary: "Find messages by their words, newest first",
    output: FoundMessagePage,
  },
  "search.ids": {
    ...administer({
      role: "user",
      method: "GET",
      path: `${administered}/search/ids`,
      input: FindId,
    }),
    rateLimit: "read",
    summary: "Find out what an id is of",
    output: NamedIds,
  },
  "savedViews.list": {
    ...administer({ role: "user", method: "GET", path: views, input: ListSavedViews }),
    summary: "List your saved views of pages of the console, and shared ones",
    output: SavedViewPage,
  },
  "savedViews.create": {
    ...administer({ role: "user", method: "POST", path: views, input: CreateSavedView }),
    subject: [],
    summary: "Save the state of a page of the console under a name",
    errors: ["workspace_not_found", "app_auth_error"],
    output: OneSavedView,
  },
  "savedViews.update": {
    ...administer({
      role: "user",
      method: "PATCH",
      path: `${views}/{savedViewId}`,
      input: UpdateSavedView,
    }),
    ...ofView,
    storesLittle: true,
    summary: "Change a saved view",
    output: OneSavedView,
  },
  "savedViews.remove": {
    ...administer({
      role: "user",
      method: "DELETE",
      path: `${views}/{savedViewId}`,
      input: VersionedSavedView,
    }),
    ...ofView,
    summary: "Remove a saved view",
    output: Success,
  },
} as const satisfies Record<string, Endpoint>;
