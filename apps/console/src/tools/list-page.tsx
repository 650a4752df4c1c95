import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { rowLink } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

/** The MCP servers of the workspace. */
export function ToolListPage() {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/tools" });
  const list = useQuery(trpc.tools.list.queryOptions({ wId, limit: 50, lastValue: after }));
  return (
    <ListPage
      name="Tools"
      query={list}
      rowsOf={({ tools }) => tools.map(({ tool }) => tool)}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        <Link to="/tools/register" className={buttonLook("primary")}>
          <Icon name="plus" />
          Register server
        </Link>
      }
      columns={{
        Name: ({ sId, name }) => (
          <Link to="/tools/$toolId" params={{ toolId: sId }} className={rowLink}>
            {name}
          </Link>
        ),
        Description: ({ description }) => (
          <span className="line-clamp-3 text-muted">{description}</span>
        ),
        Tools: ({ server: { tools } }) => (tools.length === 1 ? "1 tool" : `${tools.length} tools`),
        Kind: ({ serverType, isRestrictedToSkills, oAuthUseCase }) => (
          <span className="flex flex-wrap gap-1">
            <Badge tone={serverType === "remote" ? "accent" : "neutral"}>{serverType}</Badge>
            {isRestrictedToSkills && <Badge>skills only</Badge>}
            {oAuthUseCase === "personal_actions" && <Badge>per user</Badge>}
          </span>
        ),
        Updated: ({ updatedAt }) => <Time at={updatedAt} />,
      }}
      empty={
        <EmptyState title="No tools yet">
          <p className="text-muted">
            A tool is an MCP server that agents can call, at a URL that this server can reach.
            Register one here, or with:
          </p>
          <Command>parley tools create https://tools.example.com/mcp</Command>
        </EmptyState>
      }
    />
  );
}
