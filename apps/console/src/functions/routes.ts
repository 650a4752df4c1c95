import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { sessionRoute } from "../app/root-routes.ts";
import { oneOf, textOf } from "../app/search.ts";

/** Which page of the functions, and in which state. */
interface ListSearch {
  after?: string | undefined;
  status?: "archived" | undefined;
}

/** What of a function is shown: of its invocations, those with a status; `from` is one to run again. */
interface FunctionSearch {
  view?: "invocations" | "definition" | undefined;
  status?: "created" | "succeeded" | "errored" | undefined;
  after?: string | undefined;
  from?: string | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/functions",
  validateSearch: (search): ListSearch => ({
    after: textOf(search, "after"),
    status: oneOf(search, "status", ["archived"]),
  }),
  component: lazyRouteComponent(() => import("./list-page.tsx"), "FunctionListPage"),
});

const oneRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/functions/$functionId",
  validateSearch: (search): FunctionSearch => ({
    view: oneOf(search, "view", ["invocations", "definition"]),
    status: oneOf(search, "status", ["created", "succeeded", "errored"]),
    after: textOf(search, "after"),
    from: textOf(search, "from"),
  }),
  component: lazyRouteComponent(() => import("./function-page.tsx"), "FunctionPage"),
});

const invocationRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/functions/$functionId/invocations/$invocationId",
  component: lazyRouteComponent(() => import("./invocation-page.tsx"), "InvocationPage"),
});

/** The pages about functions and their invocations. */
export const functionRoutes = [listRoute, oneRoute, invocationRoute] as const;
