import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { DataTables } from "./data-tables.tsx";
import { DocumentDialog } from "./document-dialog.tsx";
import { DocumentList } from "./document-list.tsx";
import { DocumentSearch } from "./document-search.tsx";
import { FoundDocuments } from "./found-documents.tsx";
import { FoundParts } from "./found-parts.tsx";
import { UploadForm } from "./upload-form.tsx";
import { WebSources } from "./web-sources.tsx";

/** One data source as a space shows it: its documents, with a search, and its tables. */
export function DataSourcePage() {
  const { spaceId, viewId } = useParams({ from: "/session/data-sources/$spaceId/$viewId" });
  const { q, by, tags, without, doc } = useSearch({
    from: "/session/data-sources/$spaceId/$viewId",
  });
  const navigate = useNavigate({ from: "/data-sources/$spaceId/$viewId" });
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const say = useToast();
  const canBuild = hasRole(useSession(), "builder");
  const [doing, setDoing] = useState<"upload" | "delete">();
  const input = { wId, spaceId, dsvId: viewId };
  const view = useQuery(trpc.dataSourceViews.get.queryOptions(input));
  if (isNotFound(view.error)) return <NotFoundPage />;
  const close = () => setDoing(undefined);
  const source = view.data?.dataSourceView.dataSource;
  return (
    <Page
      title={source?.name ?? "Data source"}
      actions={
        canBuild &&
        source && (
          <>
            <Button variant="primary" onClick={() => setDoing("upload")}>
              <Icon name="plus" />
              Upload text
            </Button>
            <Button onClick={() => setDoing("delete")}>Delete</Button>
          </>
        )
      }
    >
      {source?.description != null && <p className="text-muted">{source.description}</p>}
      <DocumentSearch />
      <Loaded query={view} label="the documents" />
      {source &&
        (q === undefined ? (
          <DocumentList viewId={viewId} dataSourceId={source.sId} canBuild={canBuild} />
        ) : by === "parts" ? (
          <FoundParts query={q} dataSourceId={source.sId} tags={tags} excludedTags={without} />
        ) : (
          <FoundDocuments spaceId={spaceId} viewId={viewId} query={q} />
        ))}
      {source && q === undefined && <DataTables dataSourceId={source.sId} canBuild={canBuild} />}
      {source && canBuild && q === undefined && <WebSources viewId={viewId} />}
      {source && doc !== undefined && (
        <DocumentDialog
          dataSourceId={source.sId}
          documentId={doc}
          onClose={() => void navigate({ search: (before) => ({ ...before, doc: undefined }) })}
        />
      )}
      {source && doing === "upload" && (
        <UploadForm
          dataSourceId={source.sId}
          onClose={close}
          onUpload={(title) => {
            close();
            say(`${title} uploaded`);
            void queryClient.invalidateQueries(trpc.dataSourceNodes.pathFilter());
          }}
        />
      )}
      {source && doing === "delete" && (
        <ConfirmDialog
          title="Delete data source"
          description="Deletes its documents, tables and folders for everyone. This cannot be undone."
          word={source.name}
          onClose={close}
          onConfirm={async () => {
            await rpc.dataSourceViews.remove.mutate({ wId, dataSourceViewId: viewId });
            await navigate({ to: "/data-sources" });
            say(`${source.name} deleted`);
            await queryClient.invalidateQueries(trpc.dataSourceViews.pathFilter());
          }}
        />
      )}
    </Page>
  );
}
