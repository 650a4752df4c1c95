import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Button, buttonLook } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { useResetForm } from "../ui/use-reset-form.ts";
import { DocumentDialog } from "./document-dialog.tsx";
import { DocumentList } from "./document-list.tsx";
import { FoundDocuments } from "./found-documents.tsx";
import { UploadForm } from "./upload-form.tsx";

/** One data source as a space shows it: its documents, with a search. */
export function DataSourcePage() {
  const { spaceId, viewId } = useParams({ from: "/session/data-sources/$spaceId/$viewId" });
  const { q, doc } = useSearch({ from: "/session/data-sources/$spaceId/$viewId" });
  const navigate = useNavigate({ from: "/data-sources/$spaceId/$viewId" });
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const say = useToast();
  const canBuild = hasRole(useSession(), "builder");
  const searchForm = useResetForm(q ?? "");
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
          <TextField label="Search documents" type="search" name="q" defaultValue={q ?? ""} />
          <Button type="submit">Search</Button>
          {q !== undefined && (
            <Link to="." search={{}} className={buttonLook("ghost")}>
              All documents
            </Link>
          )}
        </form>
      </search>
      <Loaded query={view} label="the documents" />
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
            say(`${title} uploaded`);
          }}
        />
      )}
      {source && doing === "delete" && (
        <ConfirmDialog
          title="Delete data source"
          description="Deletes its documents and folders for everyone. This cannot be undone."
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
