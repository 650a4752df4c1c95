import type { Implementations } from "../implementation.ts";
import {
  cancelWebRefresh,
  createWebSource,
  getWebSource,
  listWebPages,
  listWebSources,
  refreshWebSource,
  removeWebSource,
  updateWebSource,
} from "./web-sources.ts";

/** The endpoints that are implemented here. */
export const webSourceImplementations = {
  "webSources.cancel": cancelWebRefresh,
  "webSources.create": createWebSource,
  "webSources.get": getWebSource,
  "webSources.list": listWebSources,
  "webSources.listPages": listWebPages,
  "webSources.refresh": refreshWebSource,
  "webSources.remove": removeWebSource,
  "webSources.update": updateWebSource,
} satisfies Implementations;
