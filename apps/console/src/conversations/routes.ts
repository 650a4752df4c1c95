import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { oneOf, textOf, textsOf } from "../routing/search.ts";
import { type ConversationState, conversationStates } from "./search/states.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** The page of the list, and its filters. */
interface ListSearch {
  after?: string | undefined;
  q?: string | undefined;
  show?: "unread" | "waiting" | undefined;
  size?: "50" | "100" | undefined;
}

/** Filters of all conversations; times are in the reader's time zone. */
interface AllSearch {
  q?: string | undefined;
  agent?: string | undefined;
  status?: ConversationState | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
}

/** The tab of a conversation; `log` is the answer whose events are shown. */
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
  component: lazyPage(() => import("./list-page.tsx"), "ConversationListPage"),
});

const allRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/conversations/all",
  validateSearch: (search): AllSearch => ({
    q: textOf(search, "q"),
    agent: textOf(search, "agent"),
    status: oneOf(search, "status", conversationStates),
    since: textOf(search, "since"),
    until: textOf(search, "until"),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./search/search-page.tsx"), "ConversationSearchPage"),
});

const newRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/conversations/new",
  validateSearch: (search): { agent?: readonly string[] | undefined } => ({
    agent: textsOf(search, "agent"),
  }),
  component: lazyPage(() => import("./new-page.tsx"), "NewConversationPage"),
});

const oneRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/conversations/$conversationId",
  validateSearch: (search): ViewSearch => ({
    view: oneOf(search, "view", ["timeline", "events"]),
    log: textOf(search, "log"),
  }),
  component: lazyPage(() => import("./conversation-page.tsx"), "ConversationPage"),
});

/** The pages about conversations. */
export const conversationRoutes = [listRoute, allRoute, newRoute, oneRoute] as const;
