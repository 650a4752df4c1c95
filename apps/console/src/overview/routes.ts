import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { sessionRoute } from "../app/root-routes.ts";
import { oneOf } from "../app/search.ts";

const overviewRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/overview",
  validateSearch: (search): { window?: "day" | undefined } => ({
    window: oneOf(search, "window", ["day"]),
  }),
  component: lazyRouteComponent(() => import("./overview-page.tsx"), "OverviewPage"),
});

/** The page about what happens in a workspace, or for operators on the server. */
export const overviewRoutes = [overviewRoute] as const;
