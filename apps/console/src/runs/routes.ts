import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { numberOf, oneOf, textOf } from "../routing/search.ts";
import { type Kind, kinds, type Status, statuses } from "./kinds.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** Which runs are listed; `function` and `agent` are ids or slugs. */
interface RunSearch {
  kind?: Kind | undefined;
  status?: Status | undefined;
  function?: string | undefined;
  agent?: string | undefined;
  /** Only runs that were created in this time, in milliseconds. */
  from?: number | undefined;
  to?: number | undefined;
  after?: string | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/runs",
  validateSearch: (search): RunSearch => ({
    kind: oneOf(search, "kind", kinds),
    status: oneOf(search, "status", statuses),
    function: textOf(search, "function"),
    agent: textOf(search, "agent"),
    from: numberOf(search, "from"),
    to: numberOf(search, "to"),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./list-page.tsx"), "RunListPage"),
});

/** The page about the work of a workspace. */
export const runRoutes = [listRoute] as const;
