import { useQuery } from "@tanstack/react-query";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { DocumentLink } from "./document-list.tsx";

interface FoundDocumentsProps {
  readonly spaceId: string;
  readonly viewId: string;
  readonly query: string;
}

/** The best matching documents, each with its matching part. */
export function FoundDocuments({ spaceId, viewId, query }: FoundDocumentsProps) {
  const wId = useWorkspaceId();
  const input = { wId, spaceId, dsvId: viewId, query, top_k: 32 };
  const found = useQuery(trpc.dataSourceViews.searchDocuments.queryOptions(input));
  return (
    <Loaded query={found} label="the search results">
      {({ documents }) =>
        documents.length === 0 ? (
          <EmptyState title="No matching documents">
            <p className="text-muted">Try single words from the title or the text.</p>
          </EmptyState>
        ) : (
          <ol aria-label="Search results" className="grid gap-3">
            {documents.map((one) => (
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
        )
      }
    </Loaded>
  );
}
