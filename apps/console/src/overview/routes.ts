import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { oneOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

const overviewRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/overview",
  validateSearch: (search): { window?: "day" | undefined } => ({
    window: oneOf(search, "window", ["day"]),
  }),
  component: lazyPage(() => import("./overview-page.tsx"), "OverviewPage"),
});

/** The page of activity in a workspace, or for operators on the server. */
export const overviewRoutes = [overviewRoute] as const;
