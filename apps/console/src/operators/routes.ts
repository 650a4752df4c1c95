import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

const workspacesRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/workspaces",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./workspaces-page.tsx"), "WorkspacesPage"),
});

const keysRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/operator-keys",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./operator-keys-page.tsx"), "OperatorKeysPage"),
});

/** The pages for operators. */
export const operatorRoutes = [workspacesRoute, keysRoute] as const;
