import { useQuery } from "@tanstack/react-query";
import { hasRole } from "../api/access.ts";
import { type NamedId, readAgentsAndFunctions } from "../api/agents-and-functions.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";

/** What the form of a schedule lets choose. */
export interface Choices {
  readonly agents: readonly NamedId[];
  readonly functions: readonly NamedId[];
  readonly spaces: readonly NamedId[];
  /** Only for admins: others act for their own key. */
  readonly keys: readonly NamedId[];
}

/** Reads what the form of a schedule lets choose. */
export function useChoices() {
  const wId = useWorkspaceId();
  const session = useSession();
  const isAdmin = hasRole(session, "admin");
  return useQuery({
    queryKey: [...trpc.agents.list.pathKey(), "of schedules", wId, isAdmin],
    queryFn: async ({ signal }): Promise<Choices> => {
      const [launched, { spaces }, { apiKeys }] = await Promise.all([
        readAgentsAndFunctions(wId, signal),
        rpc.spaces.list.query({ wId }, { signal }),
        isAdmin ? rpc.apiKeys.list.query({ wId }, { signal }) : { apiKeys: [] },
      ]);
      const named = ({ sId: id, name }: { readonly sId: string; readonly name: string }) => {
        return { id, name };
      };
      return {
        ...launched,
        spaces: spaces.filter(({ kind }) => kind !== "global").map(named),
        keys: apiKeys.filter(({ revokedAt }) => revokedAt === null).map(named),
      };
    },
    staleTime: 30_000,
  });
}
