import { useRouteContext } from "@tanstack/react-router";
import type { Parley } from "parley-client";
import { parleyOf } from "./clients.ts";
import type { Session } from "./session.ts";

/** The session that the page was opened with. Only pages that need one call this. */
export function useSession(): Session {
  return useRouteContext({ from: "/session", select: ({ session }) => session });
}

/** The workspace of the session, by its id. */
export function useWorkspaceId(): string {
  const { workspace } = useSession();
  if (workspace === null) throw new Error("Operators have no workspace");
  return workspace.sId;
}

/** The public client of the session's workspace, the same one at each render. */
export function useParley(): Parley {
  return parleyOf(useWorkspaceId());
}
