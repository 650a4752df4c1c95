import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { numberOf, oneOf, textOf } from "../routing/search.ts";
import { type Kind, kinds, type Status, statuses } from "./kinds.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** Which runs are listed; `function` and `agent` are ids or slugs, and so on. */
interface RunSearch {
  kind?: Kind | undefined;
  status?: Status | undefined;
  function?: string | undefined;
  agent?: string | undefined;
  tool?: string | undefined;
  model?: string | undefined;
  key?: string | undefined;
  user?: string | undefined;
  /** Only runs that were created in this time, in milliseconds. */
  from?: number | undefined;
  to?: number | undefined;
  /** Only runs that ended in this time. */
  endedFrom?: number | undefined;
  endedTo?: number | undefined;
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
    tool: textOf(search, "tool"),
    model: textOf(search, "model"),
    key: textOf(search, "key"),
    user: textOf(search, "user"),
    from: numberOf(search, "from"),
    to: numberOf(search, "to"),
    endedFrom: numberOf(search, "endedFrom"),
    endedTo: numberOf(search, "endedTo"),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./list-page.tsx"), "RunListPage"),
});

/** The page about the work of a workspace. */
export const runRoutes = [listRoute] as const;
