import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { textOf } from "../routing/search.ts";
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
