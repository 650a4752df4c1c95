import { createRoute } from "@tanstack/react-router";
import { oneOf, textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** What is searched for; times are in the reader's time zone. */
interface MessageSearch {
  q?: string | undefined;
  type?: "user_message" | "agent_message" | undefined;
  agent?: string | undefined;
  status?: "succeeded" | "failed" | "cancelled" | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
}

const searchRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/search",
  validateSearch: (search): MessageSearch => ({
    q: textOf(search, "q"),
    type: oneOf(search, "type", ["user_message", "agent_message"]),
    agent: textOf(search, "agent"),
    status: oneOf(search, "status", ["succeeded", "failed", "cancelled"]),
    since: textOf(search, "since"),
    until: textOf(search, "until"),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./search-page.tsx"), "SearchPage"),
});

/** The page that finds messages. */
export const searchRoutes = [searchRoute] as const;
