import { useQuery } from "@tanstack/react-query";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";

interface DocumentDialogProps {
  readonly dataSourceId: string;
  readonly documentId: string;
  readonly onClose: () => void;
}

/** The text of a document, as agents read it. */
export function DocumentDialog({ dataSourceId, documentId, onClose }: DocumentDialogProps) {
  const wId = useWorkspaceId();
  const input = { wId, dsId: dataSourceId, documentId };
  const reading = useQuery(trpc.documents.get.queryOptions(input));
  return (
    <Dialog title={reading.data?.document.title ?? documentId} isOpen onOpenChange={onClose}>
      <Loaded query={reading} label="the document">
        {({ document: { source_url, text } }) => (
          <>
            {source_url != null && <p className="text-sm text-muted">From {source_url}</p>}
            <CodeBlock label="Text">
              <code className="whitespace-pre-wrap">{text}</code>
            </CodeBlock>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
