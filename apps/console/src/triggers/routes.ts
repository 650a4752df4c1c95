import { createRoute } from "@tanstack/react-router";
import { oneOf, textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";
import { eventStatuses, type TriggerEvent } from "./states.ts";

/** Which page of a list. */
interface PageSearch {
  after?: string | undefined;
}

/** Which events. */
interface EventSearch extends PageSearch {
  status?: TriggerEvent["status"] | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/triggers",
  validateSearch: (search): PageSearch => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./list-page.tsx"), "TriggerListPage"),
});

const triggerRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/triggers/$triggerId",
  validateSearch: (search): EventSearch => ({
    status: oneOf(search, "status", eventStatuses),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./trigger-page.tsx"), "TriggerPage"),
});

/** The pages about triggers and what they have received. */
export const triggerRoutes = [listRoute, triggerRoute] as const;
