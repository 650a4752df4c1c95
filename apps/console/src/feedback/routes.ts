import { createRoute } from "@tanstack/react-router";
import { oneOf, textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** Which feedback is listed, and the page of it. */
interface ListSearch {
  agent?: string | undefined;
  thumb?: "up" | "down" | undefined;
  after?: string | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/feedback",
  validateSearch: (search): ListSearch => ({
    agent: textOf(search, "agent"),
    thumb: oneOf(search, "thumb", ["up", "down"]),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./list-page.tsx"), "FeedbackListPage"),
});

/** The page about feedback. */
export const feedbackRoutes = [listRoute] as const;
