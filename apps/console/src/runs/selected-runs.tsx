import { useMutation, useQueryClient } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toast.tsx";
import { isCancellable, nameOf, type Run } from "./kinds.ts";
import { isRepeatable, useRepeat } from "./repeat-runs.ts";

interface SelectedRunsProps {
  readonly runs: readonly Run[];
  readonly selected: ReadonlySet<string>;
  readonly onSelectOnly: (ids: ReadonlySet<string>) => void;
}

/** Actions on the selected runs. They are always shown, so that selecting a run moves no row. */
export function SelectedRuns({ runs, selected, onSelectOnly }: SelectedRunsProps) {
  const open = runs.filter(isCancellable);
  const chosen = runs.filter(({ id }) => selected.has(id));
  const toCancel = chosen.filter(isCancellable);
  const toRepeat = chosen.filter(isRepeatable);
  const leave = (done: readonly Run[]) => {
    const ids = new Set(done.map(({ id }) => id));
    onSelectOnly(new Set([...selected].filter((id) => !ids.has(id))));
  };
  const cancelling = useCancel(leave);
  const repeating = useRepeat(leave);
  const { failed = [] } = repeating.data ?? {};
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          isSmall
          disabled={!open.some(({ id }) => !selected.has(id))}
          onClick={() => onSelectOnly(new Set(open.map(({ id }) => id)))}
        >
          Select active
        </Button>
        <Button
          isSmall
          variant="danger"
          disabled={toCancel.length === 0}
          isBusy={cancelling.isPending}
          onClick={() => cancelling.mutate(toCancel)}
        >
          <Icon name="stop" />
          Cancel ({toCancel.length})
        </Button>
        <Button
          isSmall
          disabled={toRepeat.length === 0}
          isBusy={repeating.isPending}
          onClick={() => repeating.mutate(toRepeat)}
        >
          <Icon name="retry" />
          Rerun ({toRepeat.length})
        </Button>
      </div>
      {cancelling.isError && (
        <ErrorNotice title="Some runs could not be cancelled" error={cancelling.error} />
      )}
      {failed.map(({ run, error }) => (
        <ErrorNotice key={run.id} title={`${nameOf(run)} ${run.id} was not rerun`} error={error} />
      ))}
    </div>
  );
}

function useCancel(onCancelled: (runs: readonly Run[]) => void) {
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const say = useToast();
  return useMutation({
    mutationFn: async (chosen: readonly Run[]) => {
      const cancels = chosen.map(async ({ id }) => rpc.runs.cancel.mutate({ wId, runId: id }));
      const ends = await Promise.allSettled(cancels);
      const refused = ends.find((end) => end.status === "rejected");
      if (refused) throw refused.reason;
    },
    onSuccess: (_, chosen) => {
      onCancelled(chosen);
      const { length } = chosen;
      say(length === 1 ? "1 run cancelled" : `${length} runs cancelled`);
    },
    onSettled: async () => queryClient.invalidateQueries(trpc.runs.list.pathFilter()),
  });
}
