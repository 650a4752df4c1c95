import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { sessionRoute } from "../app/root-routes.ts";
import { oneOf, textOf, textsOf } from "../app/search.ts";

/** Which page of the conversations, and what of it. */
interface ListSearch {
  after?: string | undefined;
  q?: string | undefined;
  show?: "unread" | "waiting" | undefined;
  size?: "50" | "100" | undefined;
}

/** How a conversation is shown; `log` is the answer whose events are. */
interface ViewSearch {
  view?: "timeline" | "events" | undefined;
  log?: string | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/conversations",
  validateSearch: (search): ListSearch => ({
    after: textOf(search, "after"),
    q: textOf(search, "q"),
    show: oneOf(search, "show", ["unread", "waiting"]),
    size: oneOf(search, "size", ["50", "100"]),
  }),
  component: lazyRouteComponent(() => import("./list-page.tsx"), "ConversationListPage"),
});

const newRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/conversations/new",
  validateSearch: (search): { agent?: readonly string[] | undefined } => ({
    agent: textsOf(search, "agent"),
  }),
  component: lazyRouteComponent(() => import("./new-page.tsx"), "NewConversationPage"),
});

const oneRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/conversations/$conversationId",
  validateSearch: (search): ViewSearch => ({
    view: oneOf(search, "view", ["timeline", "events"]),
    log: textOf(search, "log"),
  }),
  component: lazyRouteComponent(() => import("./conversation-page.tsx"), "ConversationPage"),
});

/** The pages about conversations. */
export const conversationRoutes = [listRoute, newRoute, oneRoute] as const;
