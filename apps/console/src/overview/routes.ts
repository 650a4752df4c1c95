import { createRoute } from "@tanstack/react-router";
import { numberOf, oneOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";
import { dimensions, type OverviewSearch, periodNames } from "./periods.ts";

const overviewRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/overview",
  validateSearch: (search): OverviewSearch => ({
    period: oneOf(search, "period", periodNames),
    from: numberOf(search, "from"),
    to: numberOf(search, "to"),
    by: oneOf(search, "by", dimensions),
  }),
  component: lazyPage(() => import("./overview-page.tsx"), "OverviewPage"),
});

/** The page of activity in a workspace, or for operators on the server. */
export const overviewRoutes = [overviewRoute] as const;
