import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge, StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Pager } from "../ui/pager.tsx";
import { wordOf } from "../ui/states.ts";
import { rowLink, Table } from "../ui/table.tsx";
import { formatNumber, Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { divisionStates } from "./routes.ts";

type NodePage = Output<"dataSourceNodes.list">;
type Node = NodePage["nodes"][number];

/** How often the list is read again while documents wait for their division. */
const REFRESH_MS = 2000;

interface DocumentListProps {
  readonly viewId: string;
  readonly dataSourceId: string;
  /** Whether the reader may upload, divide again and delete. */
  readonly canBuild: boolean;
}

/** What a data source holds, a page at a time, with the state of its division into what agents find. */
export function DocumentList({ viewId, dataSourceId: dsId, canBuild }: DocumentListProps) {
  const wId = useWorkspaceId();
  const { after, state } = useSearch({ from: "/session/data-sources/$spaceId/$viewId" });
  const navigate = useNavigate({ from: "/data-sources/$spaceId/$viewId" });
  const say = useToast();
  const [deleted, setDeleted] = useState<Node>();
  const ofView = { wId, dataSourceViewId: viewId };
  const list = useQuery(
    trpc.dataSourceNodes.list.queryOptions(
      { ...ofView, state, lastValue: after },
      {
        refetchInterval: ({ state: { data } }) => (data?.totals.waiting ?? 0) > 0 && REFRESH_MS,
        placeholderData: keepPreviousData,
      },
    ),
  );
  const dividing = useMutation({
    mutationKey: trpc.dataSourceNodes.pathKey(),
    mutationFn: async ({ nodeId }: Node) =>
      rpc.dataSourceNodes.divide.mutate({ ...ofView, nodeId }),
    onSuccess: (_answer, { title }) => say(`${title} is divided again`),
  });
  return (
    <>
      <Loaded query={list} label="the documents">
        {({ nodes, totals, hasMore, lastValue }) => (
          <>
            {totals.nodes > 0 && (
              <div className="flex flex-wrap items-end justify-between gap-3">
                <p className="text-sm text-muted">{describe(totals)}</p>
                <SelectField
                  label="State"
                  className="max-w-60"
                  value={state ?? ""}
                  onChange={({ target: { value } }) =>
                    void navigate({
                      search: { state: divisionStates.find((one) => one === value) },
                    })
                  }
                >
                  <option value="">All</option>
                  {divisionStates.map((one) => (
                    <option key={one} value={one}>
                      {wordOf(one)}
                    </option>
                  ))}
                </SelectField>
              </div>
            )}
            {dividing.error && <ErrorNotice error={dividing.error} />}
            {nodes.length === 0 ? (
              <NoNodes
                isFirst={after === undefined}
                isFiltered={state !== undefined}
                {...{ canBuild }}
              />
            ) : (
              <Table
                label="Documents"
                rows={nodes}
                keyOf={({ nodeId }) => nodeId}
                least={["Type", "Bytes", "Tags"]}
                columns={{
                  Title: (one) => <NodeTitle node={one} />,
                  State: ({ division }) => division && <Division division={division} />,
                  Type: ({ contentType }) => contentType,
                  Bytes: ({ bytes }) => formatNumber(bytes),
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
                      <span className="flex flex-wrap gap-2">
                        {one.division?.state === "failed" && (
                          <Button isSmall of={one.title} onClick={() => dividing.mutate(one)}>
                            Divide again
                          </Button>
                        )}
                        <Button isSmall of={one.title} onClick={() => setDeleted(one)}>
                          Delete
                        </Button>
                      </span>
                    ),
                }}
              />
            )}
            <Pager after={after} next={hasMore ? lastValue : null} />
          </>
        )}
      </Loaded>
      {deleted && (
        <ConfirmDialog
          title={`Delete ${deleted.nodeType}`}
          description={`Deletes “${deleted.title}” for everyone. Conversations that refer to it keep its text. This cannot be undone.`}
          word="delete"
          changes={trpc.dataSourceNodes.pathKey()}
          onClose={() => setDeleted(undefined)}
          onConfirm={async () => {
            const { nodeId, nodeType } = deleted;
            if (nodeType === "document") {
              await rpc.documents.delete.mutate({ wId, dsId, documentId: nodeId });
            } else await rpc.dataSourceNodes.remove.mutate({ ...ofView, nodeId });
            say(`${deleted.title} deleted`);
          }}
        />
      )}
    </>
  );
}

function describe({ nodes, bytes, waiting, failed }: NodePage["totals"]): string {
  return [
    `${formatNumber(nodes)} ${nodes === 1 ? "document or folder" : "documents and folders"}`,
    `${formatNumber(bytes)} bytes`,
    ...(waiting > 0 ? [`${formatNumber(waiting)} not found by agents yet`] : []),
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
  ].join(", ");
}

function Division({ division: { state, failure } }: { division: NonNullable<Node["division"]> }) {
  return (
    <span className="grid justify-items-start gap-1">
      <StatusBadge status={state} />
      {failure !== null && <span className="text-sm text-bad">{failure}</span>}
    </span>
  );
}

function NoNodes({
  isFirst,
  isFiltered,
  canBuild,
}: {
  readonly isFirst: boolean;
  readonly isFiltered: boolean;
  readonly canBuild: boolean;
}) {
  if (isFiltered) return <EmptyState title="No documents in this state" />;
  return (
    <EmptyState title={isFirst ? "No documents yet" : "No more documents"}>
      <p className="text-muted">
        {canBuild
          ? "Upload text here, or send documents from an application with documents.upsert."
          : "Ask a builder of the workspace to upload some."}
      </p>
    </EmptyState>
  );
}

function NodeTitle({ node: { nodeId, nodeType, title } }: { readonly node: Node }) {
  if (nodeType === "document") return <DocumentLink document={{ document_id: nodeId, title }} />;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {title}
      <Badge>{nodeType}</Badge>
    </span>
  );
}

/** A link to the text of a document. */
export function DocumentLink({
  document: { document_id, title },
}: {
  readonly document: { readonly document_id: string; readonly title: string };
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
