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
    { name: "model", label: "Model", value: search.model, placeholder: "openai/gpt-5" },
    // What leads here from the overview.
    ...(["tool", "key", "user"] as const)
      .filter((name) => search[name] !== undefined)
      .map((name): Filter => ({ name, label: ofIds[name], value: search[name] })),
  ];
  return (
    <>
      <FilterChips filters={[...kindAndStatus(search), ...ofNames]} onChange={change}>
        <SavedViews page="runs" />
      </FilterChips>
      <Range
        what="Created"
        from={search.from}
        to={search.to}
        onClear={() => change({ from: undefined, to: undefined })}
      />
      <Range
        what="Ended"
        from={search.endedFrom}
        to={search.endedTo}
        onClear={() => change({ endedFrom: undefined, endedTo: undefined })}
      />
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

const ofIds = { tool: "Tool", key: "Key", user: "User" } as const;

interface RangeProps {
  readonly what: "Created" | "Ended";
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly onClear: () => void;
}

/** The time that runs are limited to; nothing if they are not. */
function Range({ what, from, to, onClear }: RangeProps) {
  if ((from ?? to) === undefined) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
      {what}
      {from !== undefined && (
        <>
          {" from "}
          <Time at={from} isAbsolute />
        </>
      )}
      {to !== undefined && (
        <>
          {" before "}
          <Time at={to} isAbsolute />
        </>
      )}
      <Button onClick={onClear}>Any time</Button>
    </p>
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
