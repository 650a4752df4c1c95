import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import { type UserEvent, userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { queryClient } from "../src/api/query-client.ts";
import type { Session } from "../src/api/session.ts";
import { parseSearch, type RawSearch, stringifySearch } from "../src/routing/search.ts";
import { ToastProvider } from "../src/ui/toast.tsx";
import { answerCalls, type Answers, type Call } from "./answer-calls.ts";

interface Options {
  /** Differences of the session from that of an admin's key. */
  readonly session?: Partial<Session>;
  /** Path and query of the page that the component is on. */
  readonly href?: string;
  /** The path with its parameters, as the router has it, if it has some. */
  readonly path?: string;
  /** Whether the page needs no session, as the sign-in. */
  readonly isOutside?: boolean;
  /** Validates the query; the default keeps it as parsed. */
  readonly validateSearch?: (search: RawSearch) => object;
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
  const { href = "/", isOutside = false, validateSearch, answers = {} } = options;
  const session: Session = { ...admin, ...options.session };
  const calls = answerCalls(answers);
  const rootRoute = createRootRoute();
  const sessionRoute = createRoute({
    getParentRoute: () => rootRoute,
    id: "session",
    beforeLoad: () => ({ session }),
  });
  const { path = href.replace(/\?.*/, "") } = options;
  const shown = { path, component: () => component, validateSearch };
  const pages = isOutside
    ? [createRoute({ ...shown, getParentRoute: () => rootRoute }), sessionRoute]
    : [
        sessionRoute.addChildren([
          createRoute({ ...shown, getParentRoute: () => sessionRoute }),
          createRoute({ getParentRoute: () => sessionRoute, path: "$" }),
        ]),
      ];
  const router = createRouter({
    routeTree: rootRoute.addChildren(pages),
    history: createMemoryHistory({ initialEntries: [href] }),
    parseSearch,
    stringifySearch,
  });
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

/** The row of a table that begins with a name, once it is there. */
export const rowOf = async (name: string): Promise<HTMLElement> =>
  screen.findByRole("row", { name: new RegExp(`^${name}\\b`) });
