import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../../api/clients.ts";
import { pagesOf } from "../../api/pages-of.ts";
import { useWorkspaceId } from "../../api/use-session.ts";
import { SavedViews } from "../../saved-views/saved-views.tsx";
import { type Filter, FilterChips } from "../../ui/filter-chips.tsx";
import { wordOf } from "../../ui/states.ts";
import { conversationStates } from "./states.ts";

/** Filters of the search; the choices are in the URL. */
export function SearchFields() {
  const { q, agent, status, since, until } = useSearch({ from: "/session/conversations/all" });
  const navigate = useNavigate({ from: "/conversations/all" });
  const agents = useAgents().map(({ sId: id, name }) => ({ id, name }));
  const states = conversationStates.map((id) => ({ id, name: wordOf(id) }));
  const filters: Filter[] = [
    { name: "q", label: "Title contains", value: q, type: "search" },
    { name: "agent", label: "Agent", value: agent, choices: agents },
    { name: "status", label: "State", value: status, choices: states },
    { name: "since", label: "From", value: since, type: "datetime-local" },
    { name: "until", label: "To", value: until, type: "datetime-local" },
  ];
  return (
    <FilterChips
      filters={filters}
      onChange={(changes) =>
        void navigate({ search: (before) => ({ ...before, ...changes, after: undefined }) })
      }
    >
      <SavedViews page="conversations" />
    </FilterChips>
  );
}

/** The agents of the workspace, including archived ones, which may have answered. */
function useAgents(): readonly { readonly sId: string; readonly name: string }[] {
  const wId = useWorkspaceId();
  const { data } = useQuery({
    queryKey: [...trpc.agents.listAll.pathKey(), "names", wId],
    queryFn: async ({ signal }) => {
      const pages = pagesOf((place) => rpc.agents.listAll.query({ wId, ...place }, { signal }));
      return (await Array.fromAsync(pages))
        .flatMap(({ agentConfigurations }) => agentConfigurations)
        .map(({ sId, name }) => ({ sId, name }))
        .toSorted((one, other) => one.name.localeCompare(other.name));
    },
    staleTime: 60_000,
  });
  return data ?? [];
}
