import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hasRole } from "../api/access.ts";
import { isNotFound } from "../api/failures.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { NotFoundPage } from "../app/fault-pages.tsx";
import { Button, buttonLook } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useToast } from "../ui/toast.tsx";
import { useResetForm } from "../ui/use-reset-form.ts";
import { DocumentDialog } from "./document-dialog.tsx";
import { DocumentList } from "./document-list.tsx";
import { FoundDocuments } from "./found-documents.tsx";
import { UploadForm } from "./upload-form.tsx";

/** One data source as a space shows it: its documents, and searches in them. */
export function DataSourcePage() {
  const { spaceId, viewId } = useParams({ from: "/session/data-sources/$spaceId/$viewId" });
  const { q, doc } = useSearch({ from: "/session/data-sources/$spaceId/$viewId" });
  const navigate = useNavigate({ from: "/data-sources/$spaceId/$viewId" });
  const { parley, rpc, workspaceId: wId } = useClients();
  const queryClient = useQueryClient();
  const say = useToast();
  const canBuild = hasRole(useSession(), "builder");
  const searchForm = useResetForm(q ?? "");
  const [doing, setDoing] = useState<"upload" | "delete">();
  const { data, error, refetch } = useQuery({
    queryKey: ["data-source", wId, spaceId, viewId],
    queryFn: async ({ signal }) =>
      (await parley.dataSourceViews.get({ spaceId, dsvId: viewId }, { signal })).dataSourceView,
  });
  if (isNotFound(error)) return <NotFoundPage />;
  const close = () => setDoing(undefined);
  const source = data?.dataSource;
  return (
    <Page
      title={source?.name ?? "Data source"}
      actions={
        canBuild &&
        source && (
          <>
            <Button variant="primary" onClick={() => setDoing("upload")}>
              <Icon name="plus" />
              Upload a text
            </Button>
            <Button onClick={() => setDoing("delete")}>Delete</Button>
          </>
        )
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {source?.description != null && <p className="text-muted">{source.description}</p>}
      <search>
        <form
          ref={searchForm}
          className="flex flex-wrap items-end gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            const words = String(new FormData(event.currentTarget).get("q")).trim();
            void navigate({ search: { q: words || undefined } });
          }}
        >
          <TextField label="Search the documents" type="search" name="q" defaultValue={q ?? ""} />
          <Button type="submit">Search</Button>
          {q !== undefined && (
            <Link to="." search={{}} className={buttonLook("ghost")}>
              All documents
            </Link>
          )}
        </form>
      </search>
      {!data && !error && <Skeleton label="the documents" />}
      {source &&
        (q === undefined ? (
          <DocumentList dataSourceId={source.sId} canBuild={canBuild} />
        ) : (
          <FoundDocuments spaceId={spaceId} viewId={viewId} query={q} />
        ))}
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
            say(`${title} is uploaded`);
            void queryClient.invalidateQueries({ queryKey: ["documents", wId, source.sId] });
          }}
        />
      )}
      {source && doing === "delete" && (
        <ConfirmDialog
          title="Delete the data source"
          description="Its documents and folders are deleted for everybody. This cannot be undone."
          word={source.name}
          onClose={close}
          onConfirm={async () => {
            await rpc.dataSourceViews.remove.mutate({ wId, dataSourceViewId: viewId });
            await navigate({ to: "/data-sources" });
            say(`${source.name} is deleted`);
            await queryClient.invalidateQueries({ queryKey: ["data-sources"] });
          }}
        />
      )}
    </Page>
  );
}
