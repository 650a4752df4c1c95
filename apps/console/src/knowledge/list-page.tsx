import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { CurlCommand } from "../api/curl-command.tsx";
import { hasRole } from "../api/access.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, buttonLook } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { SourceForm } from "./source-form.tsx";
import { useSpaces } from "./use-spaces.ts";

/** The data sources that the reader reaches, of all spaces or of one. */
export function DataSourceListPage() {
  const { parley, workspaceId } = useClients();
  const { space } = useSearch({ from: "/session/data-sources" });
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const canBuild = hasRole(useSession(), "builder");
  const [isCreating, setCreating] = useState(false);
  const { data: spaces = [] } = useSpaces();
  const { data, error, refetch } = useQuery({
    queryKey: ["data-sources", workspaceId, space],
    queryFn: async ({ signal }) =>
      (await parley.dataSourceViews.find({ vaultId: space }, { signal })).data_source_views,
  });
  const nameOf = (id: string) => spaces.find(({ sId }) => sId === id)?.name ?? id;
  return (
    <Page
      title="Data sources"
      actions={
        canBuild && (
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            Create a data source
          </Button>
        )
      }
    >
      {spaces.length > 0 && (
        <search className="sm:max-w-xs">
          <SelectField
            label="Space"
            value={space ?? ""}
            onChange={({ target: { value } }) =>
              void navigate({ to: "/data-sources", search: { space: value || undefined } })
            }
          >
            <option value="">All spaces</option>
            {spaces.map(({ sId, name }) => (
              <option key={sId} value={sId}>
                {name}
              </option>
            ))}
          </SelectField>
        </search>
      )}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the data sources" />}
      {data?.length === 0 && (
        <EmptyState
          title={space === undefined ? "There are no data sources yet" : "This space has none"}
        >
          <p className="text-muted">
            {canBuild
              ? "Create one and upload texts: conversations and skills give them to agents."
              : "A builder of the workspace creates them, and uploads the documents that agents read."}
          </p>
          {canBuild && (
            <CurlCommand
              path={`/api/admin/workspaces/${workspaceId}/data-source-views`}
              body={{ spaceId: space ?? "vlt_…", name: "Handbook" }}
            />
          )}
          {space !== undefined && (
            <Link to="/data-sources" className={buttonLook()}>
              Show all spaces
            </Link>
          )}
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <Table label="Data sources" columns={["Name", "Space", "Shows", "Holds", "Created"]}>
          {data.map(({ sId, spaceId, kind, dataSource, createdAt }) => (
            <TableRow
              key={sId}
              cells={[
                <Link
                  to="/data-sources/$spaceId/$viewId"
                  params={{ spaceId, viewId: sId }}
                  className="font-medium text-accent hover:underline"
                >
                  {dataSource.name}
                </Link>,
                nameOf(spaceId),
                kind === "default" ? "all of it" : <Badge tone="accent">a part of it</Badge>,
                <span className="text-muted">{dataSource.description || "–"}</span>,
                <Time at={createdAt} />,
              ]}
            />
          ))}
        </Table>
      )}
      {isCreating && (
        <SourceForm
          spaces={spaces}
          spaceId={space}
          onClose={() => setCreating(false)}
          onCreate={async ({ spaceId, sId: viewId }) => {
            await queryClient.invalidateQueries({ queryKey: ["data-sources"] });
            await navigate({ to: "/data-sources/$spaceId/$viewId", params: { spaceId, viewId } });
          }}
        />
      )}
    </Page>
  );
}
