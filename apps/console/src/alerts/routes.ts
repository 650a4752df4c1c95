import { createRoute } from "@tanstack/react-router";
import { textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/alerts",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./alerts-page.tsx"), "AlertsPage"),
});

/** The page about alerts and their incidents. */
export const alertRoutes = [listRoute] as const;
