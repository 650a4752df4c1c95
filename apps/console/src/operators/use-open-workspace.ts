import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { rpc } from "../api/clients.ts";
import { endSession, sessionQuery, startSession } from "../api/session.ts";

/** How long the key for a visit is valid: as long as a session. */
const VISIT_MS = 12 * 60 * 60 * 1000;

/** Signs an operator in to a workspace with a new admin key. To return, they sign in again. */
export function useOpenWorkspace() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (wId: string) => {
      const expiresAt = Date.now() + VISIT_MS;
      const key = { wId, name: "console", role: "admin", expiresAt } as const;
      const { secret } = await rpc.apiKeys.create.mutate(key);
      await endSession();
      return startSession(secret);
    },
    onSuccess: async (session) => {
      queryClient.setQueryData(sessionQuery.queryKey, session);
      await navigate({ to: "/" });
      queryClient.removeQueries({
        type: "inactive",
        predicate: ({ queryKey }) => queryKey[0] !== "session",
      });
    },
  });
}
