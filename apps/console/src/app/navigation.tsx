import { Link, type LinkProps } from "@tanstack/react-router";
import { type ComponentType, useId } from "react";
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

/** The groups of the menu in order, and the pages of each with who may use them. */
const groups: Readonly<Record<string, readonly Place[]>> = {
  Talk: [
    { to: "/conversations", name: "Conversations", icon: "chat", ...talks },
    { to: "/search", name: "Search", icon: "search", ...talks },
    { to: "/approvals", name: "Approvals", icon: "check", ...talks, Note: WaitingCount },
  ],
  Build: [
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
    { to: "/memories", name: "Memories", icon: "rows", ...talks },
    { to: "/schedules", name: "Schedules", icon: "clock", role: "builder" },
    { to: "/triggers", name: "Triggers", icon: "trigger", role: "builder" },
  ],
  Observe: [
    { to: "/overview", name: "Overview", icon: "overview", role: "builder", isForOperators: true },
    { to: "/alerts", name: "Alerts", icon: "bell", role: "builder" },
    { to: "/runs", name: "Runs", icon: "runs", role: "builder", isForOperators: true },
    { to: "/usage", name: "Usage", icon: "usage", role: "builder", isForOperators: true },
    { to: "/feedback", name: "Feedback", icon: "good", role: "builder" },
    { to: "/audit", name: "Audit log", icon: "list", role: "admin", isForOperators: true },
  ],
  Administer: [
    { to: "/workspaces", name: "Workspaces", icon: "workspace", isForOperators: true },
    { to: "/budgets", name: "Budgets", icon: "money", role: "builder" },
    { to: "/secrets", name: "Secrets", icon: "lock", role: "builder" },
    { to: "/webhooks", name: "Webhooks", icon: "webhook", role: "builder" },
    { to: "/trace-destinations", name: "Trace destinations", icon: "runs", role: "admin" },
    { to: "/members", name: "Members", icon: "people", role: "admin" },
    { to: "/spaces", name: "Spaces", icon: "space", role: "admin" },
    { to: "/keys", name: "Keys", icon: "key", role: "admin" },
    { to: "/settings", name: "Settings", icon: "settings", role: "admin" },
    { to: "/operator-keys", name: "Operator keys", icon: "key", isForOperators: true },
  ],
};

/** The pages of the console, in the order of the menu. */
export const places: readonly Place[] = Object.values(groups).flat();

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

/** The page that a session begins with: the first one that it may use; of operators, the workspaces. */
export function firstPlace(session: Session): NonNullable<LinkProps["to"]> {
  if (session.role === "operator") return "/workspaces";
  return places.find((place) => isFor(place, session))?.to ?? "/no-access";
}

/** The pages of the menu that a session may use. */
export const placesFor = (session: Session): readonly Place[] =>
  places.filter((place) => isFor(place, session));

/** Whether a session may open the page at a path; unknown paths and redirects are open to all. */
export function mayOpen(session: Session, pathname: string): boolean {
  if (ofBuilders.test(pathname) && !hasRole(session, "builder")) return false;
  const place = placeOf(pathname);
  return place === undefined || isFor(place, session);
}

/** The page of the menu that a path is of, or below. */
function placeOf(pathname: string): Place | undefined {
  return places.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
}

/** The place of a page in the menu: its group, and for a page below one of the menu the way back to it. */
export function Breadcrumbs({ pathname }: { readonly pathname: string }) {
  const place = placeOf(pathname);
  if (place === undefined) return null;
  const group = Object.entries(groups).find(([, of]) => of.includes(place))?.[0];
  return (
    <nav aria-label="Breadcrumbs" className="mb-1 flex gap-1.5 text-sm text-muted">
      <span>{group}</span>
      {pathname !== place.to && (
        <>
          <span aria-hidden="true">/</span>
          <Link to={place.to} className="hover:text-ink hover:underline">
            {place.name}
          </Link>
        </>
      )}
    </nav>
  );
}

/** The menu of the pages that the reader may use, in groups. */
export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  const session = useSession();
  const id = useId();
  const shown = Object.entries(groups)
    .map(([name, all]) => ({ name, of: all.filter((place) => isFor(place, session)) }))
    .filter(({ of }) => of.length > 0);
  return (
    <nav aria-label="Pages" className="grid gap-3">
      {shown.map(({ name: group, of }) => (
        <div key={group}>
          <p id={`${id}-${group}`} className="px-2.5 pb-0.5 text-xs font-medium text-muted">
            {group}
          </p>
          <ul aria-labelledby={`${id}-${group}`}>
            {of.map(({ to, name, icon, Note }) => (
              <li key={to}>
                <Link
                  to={to}
                  {...(onNavigate && { onClick: onNavigate })}
                  className="flex min-h-8 items-center gap-2.5 rounded-md px-2.5 hover:bg-raised data-[status=active]:bg-accent-soft data-[status=active]:font-medium data-[status=active]:text-accent"
                >
                  <Icon name={icon} />
                  {name}
                  {Note && <Note />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
