import { createRoute } from "@tanstack/react-router";
import { textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/memories",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./memories-page.tsx"), "MemoriesPage"),
});

/** The page about what agents remember. */
export const memoryRoutes = [listRoute] as const;
