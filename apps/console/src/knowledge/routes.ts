import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** The states of the division of a document. */
export const divisionStates = ["waiting", "divided", "failed"] as const;

/** The page of documents or the search, and the open document. */
interface SourceSearch {
  after?: string | undefined;
  state?: (typeof divisionStates)[number] | undefined;
  q?: string | undefined;
  /** What is searched: parts, as agents do, or documents. */
  by?: "parts" | undefined;
  tags?: string | undefined;
  without?: string | undefined;
  doc?: string | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/data-sources",
  validateSearch: (search): { space?: string | undefined } => ({ space: textOf(search, "space") }),
  component: lazyPage(() => import("./list-page.tsx"), "DataSourceListPage"),
});

const sourceRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/data-sources/$spaceId/$viewId",
  validateSearch: (search): SourceSearch => ({
    after: textOf(search, "after"),
    state: divisionStates.find((one) => one === search["state"]),
    q: textOf(search, "q"),
    by: search["by"] === "parts" ? "parts" : undefined,
    tags: textOf(search, "tags"),
    without: textOf(search, "without"),
    doc: textOf(search, "doc"),
  }),
  component: lazyPage(() => import("./source-page.tsx"), "DataSourcePage"),
});

/** The pages about data sources. */
export const knowledgeRoutes = [listRoute, sourceRoute] as const;
