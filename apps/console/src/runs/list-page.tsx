import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { isCancellable, nameOf, type Run } from "./kinds.ts";
import { isRepeatable } from "./repeat-runs.ts";
import { RunFilters } from "./run-filters.tsx";
import { RunTable, whileLookedAt } from "./run-table.tsx";
import { SelectedRuns } from "./selected-runs.tsx";
import { ServerRuns } from "./server-runs.tsx";

/** The runs of the workspace, or for operators those of the server. */
export function RunListPage() {
  return useSession().workspace === null ? <ServerRuns /> : <WorkspaceRuns />;
}

/** The turns, invocations and calls of the workspace, the newest first, as they change. */
function WorkspaceRuns() {
  const wId = useWorkspaceId();
  const search = useSearch({ from: "/session/runs" });
  const {
    function: functionId,
    agent: agentId,
    tool: toolId,
    key: keyId,
    user: userId,
    after,
    ...filters
  } = search;
  const named = { functionId, agentId, toolId, keyId, userId };
  const input = { wId, ...filters, ...named, lastValue: after };
  const reading = useQuery(trpc.runs.list.queryOptions(input, whileLookedAt(after)));
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
      <Loaded query={reading} label="the runs" lines={10}>
        {({ runs, hasMore, lastValue }) => (
          <>
            <SelectedRuns runs={runs} selected={selected} onSelectOnly={setSelected} />
            {runs.length === 0 ? (
              <EmptyState title={hasMore ? "No matching runs on this page" : "No runs found"}>
                {!hasMore && (
                  <>
                    <p className="text-muted">
                      Every agent turn, tool call and function invocation is a run. To start one:
                    </p>
                    <Command>{"parley functions invoke my-function --input '{}'"}</Command>
                  </>
                )}
              </EmptyState>
            ) : (
              <RunTable runs={runs} readAt={reading.dataUpdatedAt} first={selection} />
            )}
            <Pager after={after} next={hasMore ? lastValue : null} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
