import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../api/clients.ts";
import { pagesOf } from "../api/pages-of.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SavedViews } from "../saved-views/saved-views.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { type Filter, FilterChips } from "../ui/filter-chips.tsx";
import { wordOf } from "../ui/states.ts";
import { Time } from "../ui/time.tsx";
import { type Kind, kinds, nameOfKind, type Status, statuses } from "./kinds.ts";

interface Choice {
  readonly id: string;
  readonly name: string;
}

/** Filters of runs; the choices are in the URL. */
export function RunFilters() {
  const { search, change } = useRunSearch();
  const { data, error, refetch } = useFunctionsAndAgents();
  const ofNames: Filter[] = [
    { name: "function", label: "Function", value: search.function, choices: data?.functions ?? [] },
    { name: "agent", label: "Agent", value: search.agent, choices: data?.agents ?? [] },
  ];
  return (
    <>
      <FilterChips filters={[...kindAndStatus(search), ...ofNames]} onChange={change}>
        <SavedViews page="runs" />
      </FilterChips>
      {(search.from ?? search.to) !== undefined && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          Created
          {search.from !== undefined && (
            <>
              {" from "}
              <Time at={search.from} isAbsolute />
            </>
          )}
          {search.to !== undefined && (
            <>
              {" before "}
              <Time at={search.to} isAbsolute />
            </>
          )}
          <Button onClick={() => change({ from: undefined, to: undefined })}>Any time</Button>
        </p>
      )}
      {error && (
        <ErrorNotice
          title="The functions and agents could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
    </>
  );
}

/** The filters that every list of runs has. */
export function KindAndStatus() {
  const { search, change } = useRunSearch();
  return <FilterChips filters={kindAndStatus(search)} onChange={change} />;
}

const kindAndStatus = ({
  kind,
  status,
}: {
  kind?: Kind | undefined;
  status?: Status | undefined;
}): Filter[] => [
  {
    name: "kind",
    label: "Kind",
    value: kind,
    choices: kinds.map((id) => ({ id, name: nameOfKind[id] })),
  },
  {
    name: "status",
    label: "Status",
    value: status,
    choices: statuses.map((id) => ({ id, name: wordOf(id) })),
  },
];

/** The filters in the URL, and a function that changes them and returns to the first page. */
function useRunSearch() {
  const search = useSearch({ from: "/session/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...changed, after: undefined }) });
  return { search, change };
}

function useFunctionsAndAgents() {
  const wId = useWorkspaceId();
  return useQuery({
    queryKey: [...trpc.sandboxFunctions.list.pathKey(), "choices", wId],
    queryFn: async ({ signal }) => {
      const { agentConfigurations } = await rpc.agents.list.query({ wId }, { signal });
      const pages = pagesOf((place) =>
        rpc.sandboxFunctions.list.query({ wId, ...place }, { signal }),
      );
      return {
        agents: agentConfigurations.map(({ sId, name }): Choice => ({ id: sId, name })),
        functions: (await Array.fromAsync(pages))
          .flatMap(({ sandboxFunctions }) => sandboxFunctions)
          .map(({ slug }): Choice => ({ id: slug, name: slug })),
      };
    },
    staleTime: 30_000,
  });
}
