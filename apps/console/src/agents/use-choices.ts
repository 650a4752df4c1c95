import { useQuery } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { pagesOf } from "../api/pages-of.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import type { Choice } from "./choice-list.tsx";

/** Everything that an agent can use: models, skills, functions and tools. */
export function useChoices() {
  const wId = useWorkspaceId();
  return useQuery({
    queryKey: [...trpc.models.list.pathKey(), "choices", wId],
    queryFn: async ({ signal }) => {
      const functions = pagesOf((place) =>
        rpc.sandboxFunctions.list.query({ wId, ...place }, { signal }),
      );
      const [{ models }, { skills }, { tools }, pages] = await Promise.all([
        rpc.models.list.query({ wId }, { signal }),
        rpc.skills.list.query({ wId }, { signal }),
        rpc.tools.list.query({ wId }, { signal }),
        Array.fromAsync(functions),
      ]);
      return {
        models: models.filter(({ isEnabled }) => isEnabled),
        skills: skills.map(({ sId, name, agentFacingDescription }): Choice => ({
          id: sId,
          name,
          description: agentFacingDescription,
        })),
        functions: pages
          .flatMap(({ sandboxFunctions }) => sandboxFunctions)
          .map(({ sId, slug, description }): Choice => ({ id: sId, name: slug, description })),
        tools: tools.map(({ tool: { sId, name, description } }): Choice => ({
          id: sId,
          name,
          description,
        })),
      };
    },
    staleTime: 30_000,
  });
}
