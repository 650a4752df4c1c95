import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { oneOf, textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";
import { readTrial } from "./trial-search.ts";
import { readVersions } from "./version-search.ts";

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
  validateSearch: readTrial,
  component: lazyPage(() => import("./new-page.tsx"), "NewAgentPage"),
});

const oneRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/agents/$agentId",
  validateSearch: readTrial,
  component: lazyPage(() => import("./agent-page.tsx"), "AgentPage"),
});

const versionsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/agents/$agentId/versions",
  validateSearch: readVersions,
  component: lazyPage(() => import("./versions-page.tsx"), "AgentVersionsPage"),
});

/** The pages about agents. */
export const agentRoutes = [listRoute, newRoute, oneRoute, versionsRoute] as const;
