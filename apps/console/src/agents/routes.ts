import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { oneOf, textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** Which agents are listed: a search by name, or a page of those in a state. */
interface ListSearch {
  q?: string | undefined;
  status?: "archived" | undefined;
  after?: string | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/agents",
  validateSearch: (search): ListSearch => ({
    q: textOf(search, "q"),
    status: oneOf(search, "status", ["archived"]),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./list-page.tsx"), "AgentListPage"),
});

const newRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/agents/new",
  component: lazyPage(() => import("./new-page.tsx"), "NewAgentPage"),
});

const oneRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/agents/$agentId",
  component: lazyPage(() => import("./agent-page.tsx"), "AgentPage"),
});

/** The pages about agents. */
export const agentRoutes = [listRoute, newRoute, oneRoute] as const;
