import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { sessionQuery } from "../api/session.ts";

/** Returns what forgets the session in this page, and shows the sign-in. */
export function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    queryClient.setQueryData(sessionQuery.queryKey, null);
    await router.navigate({ to: "/sign-in", search: {} });
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
  };
}
