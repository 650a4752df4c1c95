import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useClients } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useToast } from "../ui/toast.tsx";
import { type Cancel, cancelsOf, isCancellable } from "./cancel-runs.ts";
import type { Run } from "./kinds.ts";
import { RunFilters } from "./run-filters.tsx";
import { RunTable } from "./run-table.tsx";

/** How often the first page is read again while it is looked at. */
const REFRESH_MS = 2000;

/** The turns, invocations and calls of the workspace, the newest first, as they change. */
export function RunListPage() {
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
  const open = data?.runs.filter(isCancellable) ?? [];
  const select = (id: string, isSelected: boolean) =>
    setSelected(
      (before) => new Set([...before].filter((one) => one !== id).concat(isSelected ? id : [])),
    );
  return (
    <Page title="Runs">
      <RunFilters />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the runs" lines={10} />}
      {data && (
        <>
          <CancelSelected
            runs={open.filter(({ id }) => selected.has(id))}
            onSelectAll={() => setSelected(new Set(open.map(({ id }) => id)))}
            canSelect={open.some(({ id }) => !selected.has(id))}
            onCancelled={() => setSelected(new Set())}
          />
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
            <RunTable
              runs={data.runs}
              readAt={dataUpdatedAt}
              selected={selected}
              onSelect={select}
            />
          )}
          <Pager after={after} next={data.hasMore ? data.lastValue : null} />
        </>
      )}
    </Page>
  );
}

interface CancelSelectedProps {
  /** The selected ones that have not ended. */
  readonly runs: readonly Run[];
  readonly canSelect: boolean;
  readonly onSelectAll: () => void;
  readonly onCancelled: () => void;
}

/** Cancels what is selected; it stays above the table, so that no row moves when one is selected. */
function CancelSelected({ runs, canSelect, onSelectAll, onCancelled }: CancelSelectedProps) {
  const { parley } = useClients();
  const queryClient = useQueryClient();
  const say = useToast();
  const cancel = async (call: Cancel): Promise<unknown> =>
    "conversationId" in call
      ? parley.conversations.cancel({ ...call, messageIds: [...call.messageIds] })
      : parley.invocations.cancel(call);
  const cancelling = useMutation({
    mutationFn: async (chosen: readonly Run[]) => {
      const ends = await Promise.allSettled(cancelsOf(chosen).map(cancel));
      const refused = ends.find((end) => end.status === "rejected");
      if (refused) throw refused.reason;
    },
    onSuccess: (_, { length }) => {
      onCancelled();
      say(length === 1 ? "The run is cancelled" : `${length} runs are cancelled`);
    },
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ["runs"] }),
  });
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button isSmall disabled={!canSelect} onClick={onSelectAll}>
          Select all that have not ended
        </Button>
        <Button
          isSmall
          variant="danger"
          disabled={runs.length === 0}
          isBusy={cancelling.isPending}
          onClick={() => cancelling.mutate(runs)}
        >
          <Icon name="stop" />
          Cancel the selected ({runs.length})
        </Button>
      </div>
      {cancelling.isError && (
        <ErrorNotice title="Not all of them could be cancelled" error={cancelling.error} />
      )}
    </div>
  );
}
