import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { oneOf, textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";
import { readTrial } from "./trial-search.ts";

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

/** The page of versions, the shown one, and the one to compare it with, or `none`. */
interface VersionSearch {
  after?: string | undefined;
  version?: number | undefined;
  with?: number | "none" | undefined;
}

const versionOf = (text: string | undefined) =>
  /^\d{1,9}$/.test(text ?? "") ? Number(text) : undefined;

const versionsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/agents/$agentId/versions",
  validateSearch: (search): VersionSearch => {
    const other = textOf(search, "with");
    return {
      after: textOf(search, "after"),
      version: versionOf(textOf(search, "version")),
      with: other === "none" ? other : versionOf(other),
    };
  },
  component: lazyPage(() => import("./versions-page.tsx"), "AgentVersionsPage"),
});

/** The pages about agents. */
export const agentRoutes = [listRoute, newRoute, oneRoute, versionsRoute] as const;
