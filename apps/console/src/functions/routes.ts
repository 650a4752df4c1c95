import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { numberOf, oneOf, textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** The page of the list, and its state filter. */
interface ListSearch {
  after?: string | undefined;
  status?: "archived" | undefined;
}

/**
 * The tab of a function. `status` filters its invocations, `from` is one to rerun, `of` is the version to edit,
 * and `old` and `new` are the versions to compare.
 */
interface FunctionSearch {
  view?: "invocations" | "definition" | "edit" | "versions" | undefined;
  status?: "created" | "succeeded" | "errored" | undefined;
  after?: string | undefined;
  from?: string | undefined;
  of?: number | undefined;
  old?: number | undefined;
  new?: number | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/functions",
  validateSearch: (search): ListSearch => ({
    after: textOf(search, "after"),
    status: oneOf(search, "status", ["archived"]),
  }),
  component: lazyPage(() => import("./list-page.tsx"), "FunctionListPage"),
});

const newRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/functions/new",
  component: lazyPage(() => import("./edit/new-page.tsx"), "NewFunctionPage"),
});

const oneRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/functions/$functionId",
  validateSearch: (search): FunctionSearch => ({
    view: oneOf(search, "view", ["invocations", "definition", "edit", "versions"]),
    status: oneOf(search, "status", ["created", "succeeded", "errored"]),
    after: textOf(search, "after"),
    from: textOf(search, "from"),
    of: numberOf(search, "of"),
    old: numberOf(search, "old"),
    new: numberOf(search, "new"),
  }),
  component: lazyPage(() => import("./function-page.tsx"), "FunctionPage"),
});

const invocationRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/functions/$functionId/invocations/$invocationId",
  component: lazyPage(() => import("./invocation-page.tsx"), "InvocationPage"),
});

/** The pages about functions and their invocations. */
export const functionRoutes = [listRoute, newRoute, oneRoute, invocationRoute] as const;
