import { useMutation, useQuery } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { List } from "../ui/list.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { describeSources } from "./sources.ts";

/** Changes that wait for a builder, because text from outside was read before them. */
export function PendingChanges() {
  const wId = useWorkspaceId();
  const say = useToast();
  const list = useQuery(trpc.memories.listProposals.queryOptions({ wId }));
  const deciding = useMutation({
    mutationKey: trpc.memories.pathKey(),
    mutationFn: async ({ proposalId, approved }: { proposalId: string; approved: boolean }) => {
      const named = { wId, proposalId };
      await (approved ? rpc.memories.approve.mutate(named) : rpc.memories.reject.mutate(named));
      return approved;
    },
    onSuccess: (approved) => say(approved ? "Change approved" : "Change rejected"),
  });
  return (
    <Section title="Pending changes">
      {deciding.isError && <ErrorNotice error={deciding.error} />}
      <List
        name="Pending changes"
        query={list}
        rowsOf={({ proposals }) => proposals}
        keyOf={({ sId }) => sId}
        empty={<p className="text-muted">No pending changes</p>}
        columns={{
          File: ({ path, newPath }) => (newPath === null ? path : `${path} → ${newPath}`),
          "New text": ({ change, content }) => (
            <span className="whitespace-pre-wrap">
              {change === "remove" ? "(removed)" : (content ?? "–")}
            </span>
          ),
          Sources: describeSources,
          Proposed: ({ createdAt }) => <Time at={createdAt} />,
          Actions: ({ sId: proposalId, path }) => (
            <span className="flex gap-2">
              <Button
                aria-label={`Approve the change of ${path}`}
                onClick={() => deciding.mutate({ proposalId, approved: true })}
              >
                Approve
              </Button>
              <Button
                aria-label={`Reject the change of ${path}`}
                onClick={() => deciding.mutate({ proposalId, approved: false })}
              >
                Reject
              </Button>
            </span>
          ),
        }}
      />
    </Section>
  );
}
