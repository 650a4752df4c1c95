import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../app/root-routes.ts";
import { textOf } from "../app/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

const keysRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/operator-keys",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./operator-keys-page.tsx"), "OperatorKeysPage"),
});

/** The pages for operators, besides the workspaces. */
export const operatorRoutes = [keysRoute] as const;
