import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { oneOf, textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** The page of the inbox, and its filter. */
interface InboxSearch {
  after?: string | undefined;
  show?: "approvals" | "questions" | "access" | undefined;
}

const inboxRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/approvals",
  validateSearch: (search): InboxSearch => ({
    after: textOf(search, "after"),
    show: oneOf(search, "show", ["approvals", "questions", "access"]),
  }),
  component: lazyPage(() => import("./inbox-page.tsx"), "InboxPage"),
});

/** The page of calls that wait for a person. */
export const approvalRoutes = [inboxRoute] as const;
