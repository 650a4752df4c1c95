import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { KindAndStatus } from "./run-filters.tsx";
import { RunTable, whileLookedAt } from "./run-table.tsx";

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
  const input = { kind, status, lastValue: after };
  const reading = useQuery(trpc.runs.listServer.queryOptions(input, whileLookedAt(after)));
  return (
    <Page title="Server runs">
      <KindAndStatus />
      <Loaded query={reading} label="the runs" lines={10}>
        {({ runs, hasMore, lastValue }) => (
          <>
            {runs.length === 0 ? (
              <EmptyState title={hasMore ? "No matching runs on this page" : "No runs found"} />
            ) : (
              <RunTable
                runs={runs}
                readAt={reading.dataUpdatedAt}
                first={workspace}
                hasLinks={false}
              />
            )}
            <Pager after={after} next={hasMore ? lastValue : null} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
