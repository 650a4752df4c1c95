import { createRoute } from "@tanstack/react-router";
import { oneOf, textOf } from "../routing/search.ts";
import { sessionRoute } from "../routing/session-route.ts";
import { lazyPage } from "../ui/lazy-page.tsx";
import { type Delivery, deliveryStatuses } from "./states.ts";

/** Which page of a list. */
interface PageSearch {
  after?: string | undefined;
}

/** Which deliveries. */
interface DeliverySearch extends PageSearch {
  status?: Delivery["status"] | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/webhooks",
  validateSearch: (search): PageSearch => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./list-page.tsx"), "WebhookListPage"),
});

const webhookRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/webhooks/$webhookId",
  validateSearch: (search): DeliverySearch => ({
    status: oneOf(search, "status", deliveryStatuses),
    after: textOf(search, "after"),
  }),
  component: lazyPage(() => import("./webhook-page.tsx"), "WebhookPage"),
});

/** The pages about webhooks and their deliveries. */
export const webhookRoutes = [listRoute, webhookRoute] as const;
