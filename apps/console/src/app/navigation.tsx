import { Link, type LinkProps } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { hasRole, hasScope } from "../api/access.ts";
import type { Session } from "../api/session.ts";
import { useSession } from "../api/use-session.ts";
import { WaitingCount } from "../approvals/waiting-news.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

interface Place {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly name: string;
  readonly icon: IconName;
  /** The lowest workspace role that may open it; without one, no key of a workspace may. */
  readonly role?: "user" | "builder" | "admin";
  /** The scope that a user token needs. */
  readonly scope?: NonNullable<Session["scopes"]>[number];
  readonly isForOperators?: boolean;
  /** What the menu shows beside the name. */
  readonly Note?: ComponentType;
}

const talks = { role: "user", scope: "conversations:read" } as const;

/** The pages of the console, in the order of the menu, and who may use them. */
export const places: readonly Place[] = [
  { to: "/workspaces", name: "Workspaces", icon: "workspace", isForOperators: true },
  { to: "/conversations", name: "Conversations", icon: "chat", ...talks },
  { to: "/approvals", name: "Approvals", icon: "check", ...talks, Note: WaitingCount },
  { to: "/runs", name: "Runs", icon: "runs", role: "builder", isForOperators: true },
  { to: "/overview", name: "Overview", icon: "overview", role: "builder", isForOperators: true },
  { to: "/usage", name: "Usage", icon: "usage", role: "builder", isForOperators: true },
  { to: "/feedback", name: "Feedback", icon: "good", role: "builder" },
  { to: "/agents", name: "Agents", icon: "agent", role: "user", scope: "agents:read" },
  {
    to: "/functions",
    name: "Functions",
    icon: "function",
    role: "user",
    scope: "functions:invoke",
  },
  { to: "/skills", name: "Skills", icon: "skill", role: "user", scope: "skills:read" },
  { to: "/tools", name: "Tools", icon: "tool", role: "builder" },
  {
    to: "/data-sources",
    name: "Data sources",
    icon: "file",
    role: "user",
    scope: "knowledge:read",
  },
  { to: "/schedules", name: "Schedules", icon: "clock", role: "builder" },
  { to: "/secrets", name: "Secrets", icon: "lock", role: "builder" },
  { to: "/budgets", name: "Budgets", icon: "overview", role: "builder" },
  { to: "/settings", name: "Settings", icon: "settings", role: "admin" },
  { to: "/members", name: "Members", icon: "people", role: "admin" },
  { to: "/spaces", name: "Spaces", icon: "space", role: "admin" },
  { to: "/keys", name: "Keys", icon: "key", role: "admin" },
  { to: "/triggers", name: "Triggers", icon: "trigger", role: "builder" },
  { to: "/webhooks", name: "Webhooks", icon: "webhook", role: "builder" },
  { to: "/operator-keys", name: "Operator keys", icon: "key", isForOperators: true },
  { to: "/audit", name: "Audit log", icon: "list", role: "admin", isForOperators: true },
];

function isFor({ role, scope, isForOperators = false }: Place, session: Session): boolean {
  if (session.role === "operator") return isForOperators;
  return (
    role !== undefined &&
    hasRole(session, role) &&
    (scope === undefined || hasScope(session, scope))
  );
}

/** Pages for builders that are below a page of the menu for users. */
const ofBuilders =
  /^\/(?:agents\/new|conversations\/all|functions\/new|skills\/import|(?:agents|skills)\/[^/]+\/versions)\/?$/;

/** The first page that a session may use. */
export function firstPlace(session: Session): NonNullable<LinkProps["to"]> {
  return places.find((place) => isFor(place, session))?.to ?? "/no-access";
}

/** Whether a session may open the page at a path; unknown paths and redirects are open to all. */
export function mayOpen(session: Session, pathname: string): boolean {
  if (ofBuilders.test(pathname) && !hasRole(session, "builder")) return false;
  const place = places.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  return place === undefined || isFor(place, session);
}

/** The menu of the pages that the reader may use. */
export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  const session = useSession();
  return (
    <nav aria-label="Pages">
      <ul className="grid gap-0.5">
        {places
          .filter((place) => isFor(place, session))
          .map(({ to, name, icon, Note }) => (
            <li key={to}>
              <Link
                to={to}
                {...(onNavigate && { onClick: onNavigate })}
                className="flex min-h-9 items-center gap-2.5 rounded-md px-2.5 hover:bg-raised data-[status=active]:bg-accent-soft data-[status=active]:font-medium data-[status=active]:text-accent"
              >
                <Icon name={icon} />
                {name}
                {Note && <Note />}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}
