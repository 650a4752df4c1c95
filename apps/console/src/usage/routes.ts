import { createRoute } from "@tanstack/react-router";
import { oneOf, textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";
import { dimensions, periods } from "./usage-series.ts";

const usageRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/usage",
  validateSearch: (search) => ({
    days: oneOf(search, "days", periods),
    by: oneOf(search, "by", dimensions),
    show: oneOf(search, "show", ["tokens"] as const),
    currency: textOf(search, "currency"),
  }),
  component: lazyPage(() => import("./usage-page.tsx"), "UsagePage"),
});

const budgetsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/budgets",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./budgets-page.tsx"), "BudgetsPage"),
});

/** The pages of what calls of models cost, and of where that stops. */
export const usageRoutes = [usageRoute, budgetsRoute] as const;
