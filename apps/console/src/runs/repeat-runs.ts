import { useMutation, useQueryClient } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useParley, useWorkspaceId } from "../api/use-session.ts";
import { useToast } from "../ui/toast.tsx";
import type { Run } from "./kinds.ts";

/** Whether a run can be rerun on its own: an invocation that has ended. A turn is regenerated in its conversation. */
export function isRepeatable({ kind, function: called, endedAt }: Run): boolean {
  return kind === "invocation" && called !== null && endedAt !== null;
}

/** The outcome of rerunning several runs. */
interface Repeated {
  readonly begun: readonly Run[];
  readonly failed: readonly { readonly run: Run; readonly error: Error }[];
}

/** Reruns invocations, each with its input. */
export function useRepeat(onBegun: (runs: readonly Run[]) => void) {
  const parley = useParley();
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const say = useToast();
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  const repeat = async ({ id: runId, function: called }: Run) => {
    const { input } = await rpc.runs.get.query({ wId, runId });
    const call = { functionId: called?.sId ?? "", input: input as never, context: { timezone } };
    return parley.functions.invoke(call, { waitSeconds: 0 });
  };
  return useMutation({
    mutationFn: async (chosen: readonly Run[]): Promise<Repeated> => {
      const begun: Run[] = [];
      const failed: { run: Run; error: Error }[] = [];
      const repeatAll = chosen.map(async (run) =>
        repeat(run).then(
          () => begun.push(run),
          (error: Error) => failed.push({ run, error }),
        ),
      );
      await Promise.all(repeatAll);
      return { begun, failed };
    },
    onSuccess: ({ begun, failed }) => {
      onBegun(begun);
      const count = begun.length === 1 ? "1 run started" : `${begun.length} runs started`;
      say(failed.length === 0 ? count : `${count}, ${failed.length} failed`);
    },
    onSettled: async () => queryClient.invalidateQueries(trpc.runs.list.pathFilter()),
  });
}
