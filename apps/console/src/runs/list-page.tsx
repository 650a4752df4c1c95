import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useClients, useSession } from "../api/use-session.ts";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { isCancellable } from "./cancel-runs.ts";
import { nameOf, type Run } from "./kinds.ts";
import { isRepeatable } from "./repeat-runs.ts";
import { RunFilters } from "./run-filters.tsx";
import { REFRESH_MS, RunTable } from "./run-table.tsx";
import { SelectedRuns } from "./selected-runs.tsx";
import { ServerRuns } from "./server-runs.tsx";

/** The runs of the workspace, or for operators those of the server. */
export function RunListPage() {
  return useSession().workspace === null ? <ServerRuns /> : <WorkspaceRuns />;
}

/** The turns, invocations and calls of the workspace, the newest first, as they change. */
function WorkspaceRuns() {
  const { rpc, workspaceId: wId } = useClients();
  const { kind, status, function: functionId, agent, after } = useSearch({ from: "/session/runs" });
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ["runs", wId, kind, status, functionId, agent, after],
    queryFn: ({ signal }) =>
      rpc.runs.list.query(
        {
          wId,
          ...(kind && { kind }),
          ...(status && { status }),
          ...(functionId && { functionId }),
          ...(agent && { agentId: agent }),
          ...(after && { lastValue: after }),
        },
        { signal },
      ),
    // Only while the tab is visible: hidden ones are not read again.
    refetchInterval: after === undefined && REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = (id: string, isSelected: boolean) =>
    setSelected(
      (before) => new Set([...before].filter((one) => one !== id).concat(isSelected ? id : [])),
    );
  const selection = {
    name: "Select",
    cellOf: (run: Run) =>
      (isCancellable(run) || isRepeatable(run)) && (
        <input
          type="checkbox"
          aria-label={`Select ${nameOf(run)} ${run.id}`}
          className="size-4 translate-y-0.5 accent-accent"
          checked={selected.has(run.id)}
          onChange={({ target }) => select(run.id, target.checked)}
        />
      ),
  };
  return (
    <Page title="Runs">
      <RunFilters />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the runs" lines={10} />}
      {data && (
        <>
          <SelectedRuns runs={data.runs} selected={selected} onSelectOnly={setSelected} />
          {data.runs.length === 0 ? (
            <EmptyState title={data.hasMore ? "None on this page" : "There are no runs to show"}>
              {!data.hasMore && (
                <>
                  <p className="text-muted">
                    Each answer of an agent is a run, each call of a tool, and each invocation of a
                    function, such as:
                  </p>
                  <Command>{"parley functions invoke my-function --input '{}'"}</Command>
                </>
              )}
            </EmptyState>
          ) : (
            <RunTable runs={data.runs} readAt={dataUpdatedAt} first={selection} />
          )}
          <Pager after={after} next={data.hasMore ? data.lastValue : null} />
        </>
      )}
    </Page>
  );
}
