import { QueryCache, QueryClient, MutationCache } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { agentRoutes } from "../agents/routes.ts";
import { whenSessionOver } from "../api/clients.ts";
import { isSessionOver } from "../api/failures.ts";
import { sessionQuery } from "../api/session.ts";
import { administrationRoutes } from "../administration/routes.ts";
import { approvalRoutes } from "../approvals/routes.ts";
import { conversationRoutes } from "../conversations/routes.ts";
import { functionRoutes } from "../functions/routes.ts";
import { overviewRoutes } from "../overview/routes.ts";
import { runRoutes } from "../runs/routes.ts";
import { skillRoutes } from "../skills/routes.ts";
import { knowledgeRoutes } from "../knowledge/routes.ts";
import { operatorRoutes } from "../operators/routes.ts";
import { toolRoutes } from "../tools/routes.ts";
import { ErrorPage, NotFoundPage } from "./fault-pages.tsx";
import {
  homeRoute,
  noAccessRoute,
  rootRoute,
  sessionRoute,
  signInRoute,
  unknownRoute,
  workspacesRoute,
} from "./root-routes.ts";
import { parseSearch, stringifySearch } from "./search.ts";
import { followOtherTabs } from "./sign-out.ts";

const onError = (error: Error): void => {
  if (isSessionOver(error)) endHere();
};

/** What the page has read; the clients repeat requests themselves. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry: false, staleTime: 5000 } },
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  sessionRoute.addChildren([
    homeRoute,
    noAccessRoute,
    workspacesRoute,
    ...conversationRoutes,
    ...functionRoutes,
    ...skillRoutes,
    ...agentRoutes,
    ...approvalRoutes,
    ...administrationRoutes,
    ...knowledgeRoutes,
    ...toolRoutes,
    ...operatorRoutes,
    ...runRoutes,
    ...overviewRoutes,
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

/** Shows the sign-in, which leads back, once the server no longer knows the session. */
function endHere(): void {
  // A wrong key at the sign-in ends nothing.
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return;
  queryClient.setQueryData(sessionQuery.queryKey, null);
  const next = router.state.location.href;
  void router.navigate({ to: "/sign-in", search: { next, ended: true } });
}
