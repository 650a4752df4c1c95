import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { flagOf, oneOf, textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** Filters of the list; `all` includes unpublished skills that the reader does not edit. */
interface ListSearch {
  status?: "archived" | "suggested" | undefined;
  availability?: "editors" | "workspace_users" | "users_and_agents" | undefined;
  q?: string | undefined;
  all?: true | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/skills",
  validateSearch: (search): ListSearch => ({
    status: oneOf(search, "status", ["archived", "suggested"]),
    availability: oneOf(search, "availability", ["editors", "workspace_users", "users_and_agents"]),
    q: textOf(search, "q"),
    all: flagOf(search, "all"),
  }),
  component: lazyPage(() => import("./list-page.tsx"), "SkillListPage"),
});

const importRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/skills/import",
  component: lazyPage(() => import("./import-page.tsx"), "SkillImportPage"),
});

const oneRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/skills/$skillId",
  component: lazyPage(() => import("./skill-page.tsx"), "SkillPage"),
});

/** The page of versions, the shown one, and the one to compare it with, or `none`. */
interface VersionSearch {
  after?: string | undefined;
  version?: string | undefined;
  with?: string | undefined;
}

const isNumber = (text: string | undefined) => text !== undefined && /^\d{1,9}$/.test(text);

const versionsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/skills/$skillId/versions",
  validateSearch: (search): VersionSearch => {
    const [version, other] = [textOf(search, "version"), textOf(search, "with")];
    return {
      after: textOf(search, "after"),
      version: isNumber(version) ? version : undefined,
      with: other === "none" || isNumber(other) ? other : undefined,
    };
  },
  component: lazyPage(() => import("./versions-page.tsx"), "SkillVersionsPage"),
});

/** The pages about skills. */
export const skillRoutes = [listRoute, importRoute, oneRoute, versionsRoute] as const;
