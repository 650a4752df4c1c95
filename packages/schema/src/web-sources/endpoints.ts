import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { pageEnd } from "../parsing/page.ts";
import {
  AdministeredWebSource,
  CreateWebSource,
  ListWebPages,
  ListWebSources,
  UpdateWebSource,
  VersionedWebSource,
  WebPage,
  WebSource,
  WebSourceIdentity,
} from "./web-sources.ts";

const place = `${administered}/web-sources` as const;
const one = `${place}/{webSourceId}` as const;
const ofSource = {
  subject: ["webSourceId"],
  errors: ["workspace_not_found", "web_source_not_found"],
} as const;

/** Operations on what of the web data sources are filled from. */
export const webSourceEndpoints = {
  "webSources.list": {
    ...administer({ role: "builder", method: "GET", path: place, input: ListWebSources }),
    summary: "List the web sources of the data sources that the key reaches",
    output: z.object({
      webSources: z.array(WebSource).describe("Web sources, oldest first"),
      ...pageEnd,
    }),
  },
  "webSources.create": {
    ...administer({ role: "builder", method: "POST", path: place, input: CreateWebSource }),
    summary: "Fill a data source from the web, at once and by a schedule",
    subject: [],
    output: AdministeredWebSource,
    errors: ["workspace_not_found", "data_source_view_not_found", "data_source_quota_error"],
  },
  "webSources.get": {
    ...administer({ role: "builder", method: "GET", path: one, input: WebSourceIdentity }),
    summary: "Read a web source",
    output: AdministeredWebSource,
    errors: ofSource.errors,
  },
  "webSources.update": {
    ...administer({ role: "builder", method: "PATCH", path: one, input: UpdateWebSource }),
    ...ofSource,
    errors: [...ofSource.errors, "version_conflict"],
    storesLittle: true,
    summary: "Change a web source",
    output: AdministeredWebSource,
  },
  "webSources.remove": {
    ...administer({ role: "builder", method: "DELETE", path: one, input: VersionedWebSource }),
    ...ofSource,
    errors: [...ofSource.errors, "version_conflict"],
    summary: "Remove a web source with its documents",
    output: Success,
  },
  "webSources.refresh": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${one}/refresh`,
      input: WebSourceIdentity,
    }),
    ...ofSource,
    summary: "Read a web source again now",
    output: AdministeredWebSource,
  },
  "webSources.cancel": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${one}/cancel`,
      input: WebSourceIdentity,
    }),
    ...ofSource,
    storesLittle: true,
    summary: "Stop reading a web source; what was read stays",
    output: AdministeredWebSource,
  },
  "webSources.listPages": {
    ...administer({ role: "builder", method: "GET", path: `${one}/pages`, input: ListWebPages }),
    summary: "List the pages of a web source, and why some were not read",
    output: z.object({
      webPages: z.array(WebPage).describe("Pages, in the order in which they were found"),
      ...pageEnd,
    }),
    errors: ofSource.errors,
  },
} as const satisfies Record<string, Endpoint>;
