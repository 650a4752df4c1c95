import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";

type Summary = Output<"summaries.list">["summaries"][number];

/** A line that says which messages agents read as a summary, with its text; nothing without one. */
export function Summaries({ conversationId }: { readonly conversationId: string }) {
  const wId = useWorkspaceId();
  const input = { wId, cId: conversationId };
  const { data } = useQuery(trpc.summaries.list.queryOptions(input));
  const listed = data?.summaries ?? [];
  // The active one that counts is the newest; what was undone after it may be taken back.
  const end = listed.findIndex(({ status }) => status === "active");
  const shown = end === -1 ? listed : listed.slice(0, end + 1);
  const readable = shown.filter(({ status }) => status === "active" || status === "undone");
  return readable.map((summary) => (
    <SummaryLine key={summary.number} summary={summary} conversationId={conversationId} />
  ));
}

interface LineProps {
  readonly summary: Summary;
  readonly conversationId: string;
}

function SummaryLine({ summary, conversationId }: LineProps) {
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const canWrite = hasScope(useSession(), "conversations:write");
  const { number, text, carried, undoneBy } = summary;
  const isActive = summary.status === "active";
  const changing = useMutation(
    trpc.summaries.update.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.summaries.list.pathFilter()),
    }),
  );
  const input = { wId, cId: conversationId, number, active: !isActive };
  // One whose messages have changed cannot be taken back.
  const canChange = canWrite && (isActive || undoneBy !== null);
  return (
    <details className="my-2 text-sm text-muted">
      <summary className="cursor-pointer">
        {isActive ? "Earlier messages were summarised" : "A summary of earlier messages was undone"}
      </summary>
      <p className="my-2 whitespace-pre-wrap">{text}</p>
      {carried.length > 0 && <p className="my-2">{carried.map((item) => item.text).join(", ")}</p>}
      {changing.error && <ErrorNotice error={changing.error} />}
      {canChange && (
        <Button disabled={changing.isPending} onClick={() => changing.mutate(input)}>
          {isActive ? "Undo the summary" : "Take the summary back"}
        </Button>
      )}
    </details>
  );
}
