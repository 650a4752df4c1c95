import { useRouteContext } from "@tanstack/react-router";
import { type Clients, clientsOf } from "./clients.ts";
import type { Session } from "./session.ts";

/** The session that the page was opened with. Only pages that need one call this. */
export function useSession(): Session {
  return useRouteContext({ from: "/session", select: ({ session }) => session });
}

/** The clients of the session's workspace, the same ones at each render. */
export function useClients(): Clients {
  const { workspace } = useSession();
  if (workspace === null) throw new Error("Operators have no workspace");
  return clientsOf(workspace.sId);
}
