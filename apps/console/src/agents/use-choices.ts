import { useQuery } from "@tanstack/react-query";
import { useClients } from "../api/use-session.ts";
import type { Choice } from "./choice-list.tsx";

/** Pages of a list that are read for the editor. */
const MAX_PAGES = 10;

/** What an agent can be made of: models, skills, functions and tools. */
export function useChoices() {
  const { parley, rpc, workspaceId: wId } = useClients();
  return useQuery({
    queryKey: ["agent-choices", wId],
    queryFn: async ({ signal }) => {
      const [{ models }, { skills }, tools] = await Promise.all([
        rpc.models.list.query({ wId }, { signal }),
        parley.skills.list({}, { signal }),
        rpc.tools.list.query({ wId }, { signal }),
      ]);
      const functions: Choice[] = [];
      let lastValue: string | undefined;
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const page = await parley.functions.list({ limit: 100, lastValue }, { signal });
        functions.push(
          ...page.sandboxFunctions.map(({ sId, slug, description }) => ({
            id: sId,
            name: slug,
            description,
          })),
        );
        if (!page.hasMore || page.lastValue === null) break;
        lastValue = page.lastValue;
      }
      return {
        models: models.filter(({ isEnabled }) => isEnabled),
        skills: skills.map(({ sId, name, agentFacingDescription }): Choice => ({
          id: sId,
          name,
          description: agentFacingDescription,
        })),
        functions,
        tools: tools.tools.map(({ tool }): Choice => ({
          id: tool.sId,
          name: tool.name,
          description: tool.description,
        })),
      };
    },
    staleTime: 30_000,
  });
}
