import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { type UserEvent, userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import type { Session } from "../src/api/session.ts";
import { parseSearch, stringifySearch } from "../src/app/search.ts";
import { ToastProvider } from "../src/ui/toast.tsx";
import { answerCalls, type Answers, type Call } from "./answer-calls.ts";

interface Options {
  /** What of the session differs from that of an admin's key. */
  readonly session?: Partial<Session>;
  /** Path and query of the page that the component is on. */
  readonly href?: string;
  readonly answers?: Answers;
}

interface Shown {
  /** Presses and types as a person does. */
  readonly user: UserEvent;
  /** The calls of the server until now. */
  readonly calls: readonly Call[];
  /** Path and query of the page that is shown. */
  readonly href: () => string;
}

const admin = {
  workspace: { sId: "wks_1", name: "Demo" },
  role: "admin",
  scopes: null,
  keyName: "demo admin",
  userName: null,
  expiresAt: 0,
} as const;

/** Shows a component on a page of a session, whose calls of the server are answered by the test. */
export async function show(component: ReactNode, options: Options = {}): Promise<Shown> {
  const { href = "/", answers = {} } = options;
  const session: Session = { ...admin, ...options.session };
  const calls = answerCalls(answers);
  const rootRoute = createRootRoute();
  const sessionRoute = createRoute({
    getParentRoute: () => rootRoute,
    id: "session",
    beforeLoad: () => ({ session }),
  });
  const page = createRoute({
    getParentRoute: () => sessionRoute,
    path: href.replace(/\?.*/, ""),
    component: () => component,
  });
  const elsewhere = createRoute({ getParentRoute: () => sessionRoute, path: "$" });
  const router = createRouter({
    routeTree: rootRoute.addChildren([sessionRoute.addChildren([page, elsewhere])]),
    history: createMemoryHistory({ initialEntries: [href] }),
    parseSearch,
    stringifySearch,
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await router.load();
  render(
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </QueryClientProvider>,
  );
  return { user: userEvent.setup(), calls, href: () => router.state.location.href };
}
