import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, redirect } from "@tanstack/react-router";
import { sessionQuery } from "../api/session.ts";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { ErrorPage, NoAccessPage } from "./fault-pages.tsx";
import { Layout } from "./layout.tsx";
import { firstPlace } from "./navigation.tsx";
import { flagOf, textOf } from "./search.ts";
import { SignInPage } from "./sign-in-page.tsx";
import { lazyPage } from "../ui/lazy-page.tsx";

/** What routes get besides their parameters. */
interface RouterContext {
  readonly queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string | undefined; ended?: true | undefined } => ({
    next: textOf(search, "next"),
    ended: flagOf(search, "ended"),
  }),
  component: SignInPage,
});

/** Around every page that needs a session: without one, the sign-in comes first. */
export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "session",
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session !== null) return { session };
    const isCode = location.hash.startsWith("code=");
    // The sign-in takes a one-time code from the fragment.
    throw redirect({
      to: "/sign-in",
      search: location.href === "/" || isCode ? {} : { next: location.href },
      ...(isCode && { hash: location.hash }),
      replace: true,
    });
  },
  component: Layout,
  notFoundComponent: NotFoundPage,
});

export const homeRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/",
  beforeLoad: ({ context }) => {
    throw redirect({ to: firstPlace(context.session), replace: true });
  },
});

/** Any other URL: also there a session comes first. */
export const unknownRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "$",
  component: NotFoundPage,
});

export const noAccessRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/no-access",
  component: NoAccessPage,
});

export const workspacesRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/workspaces",
  validateSearch: (search): { after?: string | undefined } => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("../operators/workspaces-page.tsx"), "WorkspacesPage"),
});
