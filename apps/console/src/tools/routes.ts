import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { sessionRoute } from "../app/root-routes.ts";
import { textOf } from "../app/search.ts";

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/tools",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyRouteComponent(() => import("./list-page.tsx"), "ToolListPage"),
});

const registerRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/tools/register",
  component: lazyRouteComponent(() => import("./register-page.tsx"), "RegisterToolPage"),
});

const toolRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/tools/$toolId",
  component: lazyRouteComponent(() => import("./tool-page.tsx"), "ToolPage"),
});

/** The pages about MCP servers, whose tools agents call. */
export const toolRoutes = [listRoute, registerRoute, toolRoute] as const;
