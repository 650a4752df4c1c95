import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hasRole, hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, buttonLook } from "../ui/button.tsx";
import { CurlCommand, EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { rowLink } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { SourceForm } from "./source-form.tsx";

/** The data sources that the reader can access, in all spaces or in one. */
export function DataSourceListPage() {
  const wId = useWorkspaceId();
  const { space } = useSearch({ from: "/session/data-sources" });
  const navigate = useNavigate();
  const canBuild = hasRole(useSession(), "builder");
  const [isCreating, setCreating] = useState(false);
  const spaces = useSpaces();
  const nameOf = (id: string) => spaces.find(({ sId }) => sId === id)?.name ?? id;
  const list = useQuery(trpc.dataSourceViews.find.queryOptions({ wId, vaultId: space }));
  return (
    <ListPage
      name="Data sources"
      query={list}
      rowsOf={(found) => found.data_source_views}
      keyOf={({ sId }) => sId}
      actions={
        canBuild && (
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            Create data source
          </Button>
        )
      }
      above={
        spaces.length > 0 && (
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
        )
      }
      columns={{
        Name: ({ sId, spaceId, dataSource }) => (
          <Link
            to="/data-sources/$spaceId/$viewId"
            params={{ spaceId, viewId: sId }}
            className={rowLink}
          >
            {dataSource.name}
          </Link>
        ),
        Space: ({ spaceId }) => nameOf(spaceId),
        Content: ({ kind }) => (kind === "default" ? "all" : <Badge tone="accent">partial</Badge>),
        Description: ({ dataSource }) => (
          <span className="text-muted">{dataSource.description || "–"}</span>
        ),
        Created: ({ createdAt }) => <Time at={createdAt} />,
      }}
      empty={
        <EmptyState
          title={space === undefined ? "No data sources yet" : "No data sources in this space"}
        >
          <p className="text-muted">
            {canBuild
              ? "Create one and upload texts. Agents read them through conversations and skills."
              : "Ask a builder of the workspace to create one and upload documents for agents."}
          </p>
          {canBuild && (
            <CurlCommand
              path={`/api/admin/workspaces/${wId}/data-source-views`}
              body={{ spaceId: space ?? "vlt_…", name: "Handbook" }}
            />
          )}
          {space !== undefined && (
            <Link to="/data-sources" className={buttonLook()}>
              Show all spaces
            </Link>
          )}
        </EmptyState>
      }
    >
      {isCreating && (
        <SourceForm
          spaces={spaces}
          spaceId={space}
          onClose={() => setCreating(false)}
          onCreate={async ({ spaceId, sId: viewId }) =>
            navigate({ to: "/data-sources/$spaceId/$viewId", params: { spaceId, viewId } })
          }
        />
      )}
    </ListPage>
  );
}

/** The spaces that the reader can access; none for a token that may not list them. */
function useSpaces() {
  const wId = useWorkspaceId();
  const enabled = hasScope(useSession(), "conversations:read");
  const rarely = { enabled, staleTime: 60_000 };
  return useQuery(trpc.spaces.list.queryOptions({ wId }, rarely)).data?.spaces ?? [];
}
