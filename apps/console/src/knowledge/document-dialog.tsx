import { useQuery } from "@tanstack/react-query";
import { useClients } from "../api/use-session.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

interface DocumentDialogProps {
  readonly dataSourceId: string;
  readonly documentId: string;
  readonly onClose: () => void;
}

/** The text of a document, as agents get it. */
export function DocumentDialog({ dataSourceId, documentId, onClose }: DocumentDialogProps) {
  const { parley, workspaceId } = useClients();
  const { data, error, refetch } = useQuery({
    queryKey: ["documents", workspaceId, dataSourceId, "text", documentId],
    queryFn: async ({ signal }) =>
      (await parley.documents.get({ dsId: dataSourceId, documentId }, { signal })).document,
  });
  return (
    <Dialog title={data?.title ?? documentId} isOpen onOpenChange={onClose}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the document" />}
      {data?.source_url != null && <p className="text-sm text-muted">From {data.source_url}</p>}
      {data && (
        <CodeBlock label="Text">
          <code className="whitespace-pre-wrap">{data.text}</code>
        </CodeBlock>
      )}
    </Dialog>
  );
}
