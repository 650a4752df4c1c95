import { createRouter } from "@tanstack/react-router";
import { agentRoutes } from "../agents/routes.ts";
import { alertRoutes } from "../alerts/routes.ts";
import { queryClient, whenSessionOver } from "../api/query-client.ts";
import { sessionQuery } from "../api/session.ts";
import { administrationRoutes } from "../administration/routes.ts";
import { approvalRoutes } from "../approvals/routes.ts";
import { conversationRoutes } from "../conversations/routes.ts";
import { feedbackRoutes } from "../feedback/routes.ts";
import { functionRoutes } from "../functions/routes.ts";
import { overviewRoutes } from "../overview/routes.ts";
import { runRoutes } from "../runs/routes.ts";
import { skillRoutes } from "../skills/routes.ts";
import { knowledgeRoutes } from "../knowledge/routes.ts";
import { memoryRoutes } from "../memories/routes.ts";
import { operatorRoutes } from "../operators/routes.ts";
import { parseSearch, stringifySearch } from "../routing/search.ts";
import { rootRoute, sessionRoute } from "../routing/session-route.ts";
import { scheduleRoutes } from "../schedules/routes.ts";
import { searchRoutes } from "../search/routes.ts";
import { usageRoutes } from "../usage/routes.ts";
import { toolRoutes } from "../tools/routes.ts";
import { traceDestinationRoutes } from "../trace-destinations/routes.ts";
import { triggerRoutes } from "../triggers/routes.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { ErrorPage } from "./fault-pages.tsx";
import { homeRoute, noAccessRoute, signInRoute, unknownRoute } from "./root-routes.ts";
import { followOtherTabs } from "./sign-out.ts";

const routeTree = rootRoute.addChildren([
  signInRoute,
  sessionRoute.addChildren([
    homeRoute,
    noAccessRoute,
    ...conversationRoutes,
    ...functionRoutes,
    ...skillRoutes,
    ...agentRoutes,
    ...approvalRoutes,
    ...administrationRoutes,
    ...knowledgeRoutes,
    ...memoryRoutes,
    ...toolRoutes,
    ...operatorRoutes,
    ...runRoutes,
    ...searchRoutes,
    ...overviewRoutes,
    ...alertRoutes,
    ...feedbackRoutes,
    ...usageRoutes,
    ...scheduleRoutes,
    ...triggerRoutes,
    ...webhookRoutes,
    ...traceDestinationRoutes,
    unknownRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  context: { queryClient },
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

whenSessionOver(endHere);
followOtherTabs(router, queryClient);

/** Shows the sign-in page, which leads back, once the session has ended. */
function endHere(): void {
  // A wrong key at sign-in does not end a session.
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return;
  queryClient.setQueryData(sessionQuery.queryKey, null);
  const next = router.state.location.href;
  void router.navigate({ to: "/sign-in", search: { next, ended: true } });
}
