import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { rpc } from "../api/clients.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { KindAndStatus } from "./run-filters.tsx";
import { REFRESH_MS, RunTable } from "./run-table.tsx";

type Listed = Output<"runs.listServer">["runs"][number];

const workspace = {
  name: "Workspace",
  cellOf: ({ workspace: { name, sId } }: Listed) => (
    <div className="min-w-28">
      {name}
      <code className="block font-mono text-xs text-muted">{sId}</code>
    </div>
  ),
};

/** The runs of all workspaces, the newest first, as they change. */
export function ServerRuns() {
  const { kind, status, after } = useSearch({ from: "/session/runs" });
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ["server-runs", kind, status, after],
    queryFn: ({ signal }) =>
      rpc.runs.listServer.query(
        { ...(kind && { kind }), ...(status && { status }), ...(after && { lastValue: after }) },
        { signal },
      ),
    refetchInterval: after === undefined && REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Runs of the server">
      <search className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <KindAndStatus />
      </search>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the runs" lines={10} />}
      {data?.runs.length === 0 && (
        <EmptyState title={data.hasMore ? "None on this page" : "There are no runs to show"} />
      )}
      {data && data.runs.length > 0 && (
        <RunTable runs={data.runs} readAt={dataUpdatedAt} first={workspace} hasLinks={false} />
      )}
      {data && <Pager after={after} next={data.hasMore ? data.lastValue : null} />}
    </Page>
  );
}
