import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../app/root-routes.ts";
import { textOf } from "../app/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/tools",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./list-page.tsx"), "ToolListPage"),
});

const registerRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/tools/register",
  component: lazyPage(() => import("./register-page.tsx"), "RegisterToolPage"),
});

const toolRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/tools/$toolId",
  component: lazyPage(() => import("./tool-page.tsx"), "ToolPage"),
});

/** The pages about MCP servers, whose tools agents call. */
export const toolRoutes = [listRoute, registerRoute, toolRoute] as const;
