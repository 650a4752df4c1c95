import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useState } from "react";
import { useClients } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { formatNumber, Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";

type Document = Output<"documents.list">["documents"][number];

/** Documents of a page. */
const PAGE = 50;

interface DocumentListProps {
  readonly dataSourceId: string;
  /** Whether the reader may upload and delete. */
  readonly canBuild: boolean;
}

/** The documents of a data source, a page at a time; `after` in the URL counts those before the page. */
export function DocumentList({ dataSourceId, canBuild }: DocumentListProps) {
  const { parley, workspaceId } = useClients();
  const { after } = useSearch({ from: "/session/data-sources/$spaceId/$viewId" });
  const queryClient = useQueryClient();
  const say = useToast();
  const [deleted, setDeleted] = useState<Document>();
  const offset = /^\d{1,6}$/.test(after ?? "") ? Number(after) : 0;
  const { data, error, refetch } = useQuery({
    queryKey: ["documents", workspaceId, dataSourceId, offset],
    queryFn: ({ signal }) =>
      parley.documents.list({ dsId: dataSourceId, limit: PAGE, offset }, { signal }),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton label="the documents" />;
  if (data.documents.length === 0) {
    return (
      <EmptyState title={offset === 0 ? "There are no documents yet" : "There are no more"}>
        <p className="text-muted">
          {canBuild
            ? "Upload a text here, or let an application send them with documents.upsert."
            : "A builder of the workspace uploads them."}
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <p className="text-sm text-muted">
        {formatNumber(data.total)} {data.total === 1 ? "document" : "documents"}
      </p>
      <Table label="Documents" columns={["Title", "Type", "Bytes", "Tags", "Changed", "Actions"]}>
        {data.documents.map((one) => (
          <TableRow
            key={one.document_id}
            cells={[
              <DocumentLink document={one} />,
              one.mime_type,
              formatNumber(one.text_size),
              <span className="flex flex-wrap gap-1">
                {one.tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
              </span>,
              <Time at={one.timestamp} />,
              canBuild && (
                <Button isSmall onClick={() => setDeleted(one)}>
                  Delete<span className="sr-only"> {one.title}</span>
                </Button>
              ),
            ]}
          />
        ))}
      </Table>
      <Pager after={after} next={offset + PAGE < data.total ? String(offset + PAGE) : null} />
      {deleted && (
        <ConfirmDialog
          title="Delete the document"
          description={`“${deleted.title}” is deleted for everybody; conversations that refer to it keep its text. This cannot be undone.`}
          word="delete"
          onClose={() => setDeleted(undefined)}
          onConfirm={async () => {
            await parley.documents.delete({ dsId: dataSourceId, documentId: deleted.document_id });
            say(`${deleted.title} is deleted`);
            await queryClient.invalidateQueries({ queryKey: ["documents"] });
          }}
        />
      )}
    </>
  );
}

/** Leads to the text of a document. */
export function DocumentLink({
  document: { document_id, title },
}: {
  readonly document: Pick<Document, "document_id" | "title">;
}) {
  return (
    <span>
      <Link
        to="."
        search={(before) => ({ ...before, doc: document_id })}
        className="font-medium text-accent hover:underline"
      >
        {title === "" ? document_id : title}
      </Link>
      {title !== document_id && (
        <code className="block font-mono text-sm text-muted">{document_id}</code>
      )}
    </span>
  );
}
