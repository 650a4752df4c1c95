import { useQuery } from "@tanstack/react-query";
import { hasScope } from "../api/access.ts";
import { useClients, useSession } from "../api/use-session.ts";

/** The spaces that the reader reaches, by name; none for a token that may not list them. */
export function useSpaces() {
  const { parley, workspaceId } = useClients();
  const canList = hasScope(useSession(), "conversations:read");
  return useQuery({
    queryKey: ["spaces", workspaceId, "reached"],
    queryFn: async ({ signal }) =>
      canList ? (await parley.spaces.list({}, { signal })).spaces : [],
    staleTime: 60_000,
  });
}
