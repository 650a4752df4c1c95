import { Link, type LinkProps } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { hasRole, hasScope } from "../api/access.ts";
import type { Session } from "../api/session.ts";
import { useSession } from "../api/use-session.ts";
import { WaitingCount } from "../approvals/waiting-count.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

interface Place {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly name: string;
  readonly icon: IconName;
  readonly isFor: (session: Session) => boolean;
  /** What the menu shows beside the name. */
  readonly Note?: ComponentType;
}

/** The pages of the console, in the order of the menu, and who may use them. */
const places: readonly Place[] = [
  {
    to: "/workspaces",
    name: "Workspaces",
    icon: "workspace",
    isFor: ({ role }) => role === "operator",
  },
  {
    to: "/conversations",
    name: "Conversations",
    icon: "chat",
    isFor: (session) => hasRole(session, "user") && hasScope(session, "conversations:read"),
  },
  {
    to: "/approvals",
    name: "Approvals",
    icon: "check",
    isFor: (session) => hasRole(session, "user") && hasScope(session, "conversations:read"),
    Note: WaitingCount,
  },
  {
    to: "/runs",
    name: "Runs",
    icon: "runs",
    isFor: (session) => session.role === "operator" || hasRole(session, "builder"),
  },
  {
    to: "/overview",
    name: "Overview",
    icon: "overview",
    isFor: (session) => session.role === "operator" || hasRole(session, "builder"),
  },
  {
    to: "/agents",
    name: "Agents",
    icon: "agent",
    isFor: (session) => hasRole(session, "user") && hasScope(session, "agents:read"),
  },
  {
    to: "/functions",
    name: "Functions",
    icon: "function",
    isFor: (session) => hasRole(session, "user") && hasScope(session, "functions:invoke"),
  },
  {
    to: "/skills",
    name: "Skills",
    icon: "skill",
    isFor: (session) => hasRole(session, "user") && hasScope(session, "skills:read"),
  },
  {
    to: "/tools",
    name: "Tools",
    icon: "tool",
    isFor: (session) => hasRole(session, "builder"),
  },
  {
    to: "/data-sources",
    name: "Data sources",
    icon: "file",
    isFor: (session) => hasRole(session, "user") && hasScope(session, "knowledge:read"),
  },
  {
    to: "/secrets",
    name: "Secrets",
    icon: "lock",
    isFor: (session) => hasRole(session, "builder"),
  },
  {
    to: "/settings",
    name: "Settings",
    icon: "settings",
    isFor: (session) => hasRole(session, "admin"),
  },
  {
    to: "/members",
    name: "Members",
    icon: "people",
    isFor: (session) => hasRole(session, "admin"),
  },
  {
    to: "/spaces",
    name: "Spaces",
    icon: "space",
    isFor: (session) => hasRole(session, "admin"),
  },
  {
    to: "/keys",
    name: "Keys",
    icon: "key",
    isFor: (session) => hasRole(session, "admin"),
  },
  {
    to: "/operator-keys",
    name: "Operator keys",
    icon: "key",
    isFor: ({ role }) => role === "operator",
  },
  {
    to: "/audit",
    name: "Audit log",
    icon: "list",
    isFor: (session) => session.role === "operator" || hasRole(session, "admin"),
  },
];

/** Pages below those of the menu that are for builders, where the page of the menu is for users too. */
const ofBuilders =
  /^\/(?:agents\/new|conversations\/all|functions\/new|skills\/import|skills\/[^/]+\/versions)\/?$/;

/** The first page that a session may use. */
export function firstPlace(session: Session): NonNullable<LinkProps["to"]> {
  return places.find(({ isFor }) => isFor(session))?.to ?? "/no-access";
}

/** Whether a session may use the page at a path; what is no page, and what leads to one, is for everybody. */
export function mayOpen(session: Session, pathname: string): boolean {
  if (ofBuilders.test(pathname) && !hasRole(session, "builder")) return false;
  const place = places.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  return place === undefined || place.isFor(session);
}

/** The menu of the pages that the reader may use. */
export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  const session = useSession();
  return (
    <nav aria-label="Pages">
      <ul className="grid gap-0.5">
        {places
          .filter(({ isFor }) => isFor(session))
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
