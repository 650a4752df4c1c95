import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useClients } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

/** The MCP servers of the workspace. */
export function ToolListPage() {
  const { rpc, workspaceId: wId } = useClients();
  const { after } = useSearch({ from: "/session/tools" });
  const { data, error, refetch } = useQuery({
    queryKey: ["tools", wId, "page", after],
    queryFn: ({ signal }) =>
      rpc.tools.list.query(
        { wId, limit: 50, ...(after !== undefined && { lastValue: after }) },
        { signal },
      ),
  });
  return (
    <Page
      title="Tools"
      actions={
        <Link to="/tools/register" className={buttonLook("primary")}>
          <Icon name="plus" />
          Register a server
        </Link>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the tools" />}
      {data?.tools.length === 0 && (
        <EmptyState title="There are no tools yet">
          <p className="text-muted">
            A tool is an MCP server that agents call, at a URL that this server reaches. Register
            one here, or with:
          </p>
          <Command>parley tools create https://tools.example.com/mcp</Command>
        </EmptyState>
      )}
      {data && data.tools.length > 0 && (
        <Table label="Tools" columns={["Name", "What it does", "Offers", "Kind", "Changed"]}>
          {data.tools.map(({ tool }) => (
            <TableRow
              key={tool.sId}
              cells={[
                <Link
                  to="/tools/$toolId"
                  params={{ toolId: tool.sId }}
                  className="font-medium text-accent hover:underline"
                >
                  {tool.name}
                </Link>,
                <span className="line-clamp-3 text-muted">{tool.description}</span>,
                tool.server.tools.length === 1 ? "1 tool" : `${tool.server.tools.length} tools`,
                <span className="flex flex-wrap gap-1">
                  <Badge tone={tool.serverType === "remote" ? "accent" : "neutral"}>
                    {tool.serverType}
                  </Badge>
                  {tool.isRestrictedToSkills && <Badge>for skills only</Badge>}
                  {tool.oAuthUseCase === "personal_actions" && <Badge>for each user</Badge>}
                </span>,
                <Time at={tool.updatedAt} />,
              ]}
            />
          ))}
        </Table>
      )}
      {data && <Pager after={after} next={data.hasMore ? data.lastValue : null} />}
    </Page>
  );
}
