import type { Implementations } from "../implementation.ts";
import { findIds } from "./find-ids.ts";
import {
  createSavedView,
  listSavedViews,
  removeSavedView,
  updateSavedView,
} from "./saved-views.ts";
import { searchMessages } from "./search-messages.ts";

/** The endpoints that are implemented here. */
export const searchImplementations = {
  "savedViews.create": createSavedView,
  "savedViews.list": listSavedViews,
  "savedViews.remove": removeSavedView,
  "savedViews.update": updateSavedView,
  "search.ids": findIds,
  "search.messages": searchMessages,
} satisfies Implementations;
