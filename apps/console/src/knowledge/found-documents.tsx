import { useQuery } from "@tanstack/react-query";
import { useClients } from "../api/use-session.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { DocumentLink } from "./document-list.tsx";

interface FoundDocumentsProps {
  readonly spaceId: string;
  readonly viewId: string;
  readonly query: string;
}

/** The documents that match best, each with the part that does. */
export function FoundDocuments({ spaceId, viewId, query }: FoundDocumentsProps) {
  const { parley, workspaceId } = useClients();
  const { data, error, refetch } = useQuery({
    queryKey: ["documents", workspaceId, "found", spaceId, viewId, query],
    queryFn: async ({ signal }) => {
      const input = { spaceId, dsvId: viewId, query, top_k: 32 };
      return (await parley.dataSourceViews.searchDocuments(input, { signal })).documents;
    },
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton label="what is found" />;
  if (data.length === 0) {
    return (
      <EmptyState title="No document matches">
        <p className="text-muted">Search for single words of the title or the text.</p>
      </EmptyState>
    );
  }
  return (
    <ol aria-label="Found documents" className="grid gap-3">
      {data.map((one) => (
        <li key={one.document_id} className="grid gap-1 rounded-lg border border-line p-3">
          <DocumentLink document={one} />
          {one.chunks.map(({ text, offset }) => (
            <p key={offset} className="line-clamp-4 whitespace-pre-wrap text-sm text-muted">
              {text}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}
