import { createRoute } from "@tanstack/react-router";
import { oneOf, textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";
import { type Firing, firingStatuses } from "./states.ts";

/** Which page of a list. */
interface PageSearch {
  after?: string | undefined;
}

/** Which firings. */
interface FiringSearch extends PageSearch {
  status?: Firing["status"] | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/schedules",
  validateSearch: (search): PageSearch => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./list-page.tsx"), "ScheduleListPage"),
});

const scheduleRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/schedules/$scheduleId",
  validateSearch: (search): FiringSearch => ({
    status: oneOf(search, "status", firingStatuses),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./schedule-page.tsx"), "SchedulePage"),
});

/** The pages about schedules and their firings. */
export const scheduleRoutes = [listRoute, scheduleRoute] as const;
