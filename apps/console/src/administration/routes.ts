import { createRoute } from "@tanstack/react-router";
import { sessionRoute } from "../routing/session-route.ts";
import { oneOf, textOf } from "../routing/search.ts";
import { lazyPage } from "../ui/lazy-page.tsx";

/** Which keys are shown. */
interface KeysSearch {
  q?: string | undefined;
  show?: "all" | undefined;
}

/** Which page of a list. */
interface PageSearch {
  after?: string | undefined;
}

/** Which entries of the audit log. */
interface AuditSearch extends PageSearch {
  action?: string | undefined;
  actor?: string | undefined;
  outcome?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  workspace?: string | undefined;
}

const keysRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/keys",
  validateSearch: (search): KeysSearch => ({
    q: textOf(search, "q"),
    show: oneOf(search, "show", ["all"]),
  }),
  component: lazyPage(() => import("./keys-page.tsx"), "KeysPage"),
});

const secretsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/secrets",
  component: lazyPage(() => import("./secrets-page.tsx"), "SecretsPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/settings",
  component: lazyPage(() => import("./settings-page.tsx"), "SettingsPage"),
});

const membersRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/members",
  validateSearch: (search): PageSearch => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./members-page.tsx"), "MembersPage"),
});

const spacesRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/spaces",
  validateSearch: (search): PageSearch => ({ after: textOf(search, "after") }),
  component: lazyPage(() => import("./spaces-page.tsx"), "SpacesPage"),
});

const auditRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: "/audit",
  validateSearch: (search): AuditSearch => ({
    after: textOf(search, "after"),
    action: textOf(search, "action"),
    actor: textOf(search, "actor"),
    outcome: textOf(search, "outcome"),
    since: textOf(search, "since"),
    until: textOf(search, "until"),
    workspace: textOf(search, "workspace"),
  }),
  component: lazyPage(() => import("./audit-page.tsx"), "AuditPage"),
});

/** The pages with which a workspace is administered. */
export const administrationRoutes = [
  keysRoute,
  secretsRoute,
  settingsRoute,
  membersRoute,
  spacesRoute,
  auditRoute,
] as const;
