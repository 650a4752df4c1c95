import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

const budgetsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/budgets",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./budgets-page.tsx"), "BudgetsPage"),
});

/** The pages about what models cost. */
export const usageRoutes = [budgetsRoute] as const;
