import { createRoute, redirect } from "@tanstack/react-router";
import { flagOf, textOf } from "../routing/search.ts";
import { rootRoute, sessionRoute } from "../routing/session-route.ts";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { ErrorPage, NoAccessPage } from "./fault-pages.tsx";
import { Layout } from "./layout.tsx";
import { firstPlace } from "./navigation.tsx";
import { SignInPage } from "./sign-in-page.tsx";

// Set here, since the folder of these routes imports no pages.
rootRoute.update({ notFoundComponent: NotFoundPage, errorComponent: ErrorPage });
sessionRoute.update({ component: Layout, notFoundComponent: NotFoundPage });

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string | undefined; ended?: true | undefined } => ({
    next: textOf(search, "next"),
    ended: flagOf(search, "ended"),
  }),
  component: SignInPage,
});

export const homeRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/",
  beforeLoad: ({ context }) => {
    throw redirect({ to: firstPlace(context.session), replace: true });
  },
});

/** Any other URL, which needs a session too. */
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
