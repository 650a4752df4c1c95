import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Pager } from "../ui/pager.tsx";
import { rowLink, Table } from "../ui/table.tsx";
import { formatNumber, Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";

type Document = Output<"documents.list">["documents"][number];

/** Documents per page. */
const PAGE = 50;

interface DocumentListProps {
  readonly dataSourceId: string;
  /** Whether the reader may upload and delete. */
  readonly canBuild: boolean;
}

/** The documents of a data source, a page at a time; `after` in the URL counts those before the page. */
export function DocumentList({ dataSourceId: dsId, canBuild }: DocumentListProps) {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/data-sources/$spaceId/$viewId" });
  const say = useToast();
  const [deleted, setDeleted] = useState<Document>();
  const offset = /^\d{1,6}$/.test(after ?? "") ? Number(after) : 0;
  const list = useQuery(trpc.documents.list.queryOptions({ wId, dsId, limit: PAGE, offset }));
  return (
    <>
      <Loaded query={list} label="the documents">
        {({ documents, total }) =>
          documents.length === 0 ? (
            <EmptyState title={offset === 0 ? "No documents yet" : "No more documents"}>
              <p className="text-muted">
                {canBuild
                  ? "Upload text here, or send documents from an application with documents.upsert."
                  : "Ask a builder of the workspace to upload some."}
              </p>
            </EmptyState>
          ) : (
            <>
              <p className="text-sm text-muted">
                {formatNumber(total)} {total === 1 ? "document" : "documents"}
              </p>
              <Table
                label="Documents"
                rows={documents}
                keyOf={({ document_id }) => document_id}
                least={["Type", "Bytes"]}
                columns={{
                  Title: (one) => <DocumentLink document={one} />,
                  Type: ({ mime_type }) => mime_type,
                  Bytes: ({ text_size }) => formatNumber(text_size),
                  Tags: ({ tags }) => (
                    <span className="flex flex-wrap gap-1">
                      {tags.map((tag) => (
                        <Badge key={tag}>{tag}</Badge>
                      ))}
                    </span>
                  ),
                  Updated: ({ timestamp }) => <Time at={timestamp} />,
                  Actions: (one) =>
                    canBuild && (
                      <Button isSmall of={one.title} onClick={() => setDeleted(one)}>
                        Delete
                      </Button>
                    ),
                }}
              />
              <Pager after={after} next={offset + PAGE < total ? String(offset + PAGE) : null} />
            </>
          )
        }
      </Loaded>
      {deleted && (
        <ConfirmDialog
          title="Delete document"
          description={`Deletes “${deleted.title}” for everyone. Conversations that refer to it keep its text. This cannot be undone.`}
          word="delete"
          changes={trpc.documents.pathKey()}
          onClose={() => setDeleted(undefined)}
          onConfirm={async () => {
            await rpc.documents.delete.mutate({ wId, dsId, documentId: deleted.document_id });
            say(`${deleted.title} deleted`);
          }}
        />
      )}
    </>
  );
}

/** A link to the text of a document. */
export function DocumentLink({
  document: { document_id, title },
}: {
  readonly document: Pick<Document, "document_id" | "title">;
}) {
  return (
    <span>
      <Link to="." search={(before) => ({ ...before, doc: document_id })} className={rowLink}>
        {title === "" ? document_id : title}
      </Link>
      {title !== document_id && (
        <code className="block font-mono text-sm text-muted">{document_id}</code>
      )}
    </span>
  );
}
