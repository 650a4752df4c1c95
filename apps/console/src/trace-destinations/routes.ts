import { createRoute } from "@tanstack/react-router";
import { textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** Which page of the list. */
interface PageSearch {
  after?: string | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/trace-destinations",
  validateSearch: (search): PageSearch => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./list-page.tsx"), "TraceDestinationListPage"),
});

/** The page about trace destinations. */
export const traceDestinationRoutes = [listRoute] as const;
