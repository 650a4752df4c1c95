import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, redirect } from "@tanstack/react-router";
import { sessionQuery } from "../api/session.ts";

/** The context of routes, besides their parameters. */
interface RouterContext {
  readonly queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()();

/** The parent of every page that needs a session; without one, it redirects to the sign-in page. */
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
});
