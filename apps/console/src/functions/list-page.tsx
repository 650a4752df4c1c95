import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Badge, StatusBadge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { type Columns, rowLink } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { ShownFunction } from "./read-function.ts";

/** A page of functions, as both lists return it. */
interface Listed {
  readonly sandboxFunctions: readonly ShownFunction[];
  readonly hasMore: boolean;
  readonly lastValue: string | null;
}

/** The sandbox functions of the workspace; builders also see archived ones. */
export function FunctionListPage() {
  const wId = useWorkspaceId();
  const { after: lastValue, status = "active" } = useSearch({ from: "/session/functions" });
  const navigate = useNavigate({ from: "/functions" });
  const isBuilder = hasRole(useSession(), "builder");
  const functions = useQuery({
    queryKey: [...trpc.sandboxFunctions.pathKey(), "page", { wId, isBuilder, status, lastValue }],
    queryFn: async ({ signal }): Promise<Listed> =>
      isBuilder
        ? rpc.sandboxFunctions.listAll.query({ wId, status, lastValue }, { signal })
        : rpc.sandboxFunctions.list.query({ wId, lastValue }, { signal }),
  });
  return (
    <ListPage
      name="Functions"
      query={functions}
      rowsOf={({ sandboxFunctions }) => sandboxFunctions}
      keyOf={({ sId }) => sId}
      after={lastValue}
      actions={
        isBuilder && (
          <Link to="/functions/new" className={buttonLook("primary")}>
            <Icon name="plus" />
            New function
          </Link>
        )
      }
      above={
        isBuilder && (
          <SelectField
            label="State"
            className="max-w-60"
            value={status}
            onChange={({ target: { value } }) =>
              void navigate({ search: { status: value === "archived" ? value : undefined } })
            }
          >
            <option value="active">Active</option>
            <option value="archived">Archived</option>
          </SelectField>
        )
      }
      columns={columns}
      empty={<NoFunctions isArchived={status === "archived"} />}
    />
  );
}

const columns: Columns<ShownFunction> = {
  Function: ({ slug, status, requiresApproval }) => (
    <span className="flex flex-wrap items-center gap-2">
      <Link to="/functions/$functionId" params={{ functionId: slug }} className={rowLink}>
        {slug}
      </Link>
      {status === "archived" && <StatusBadge status="archived" />}
      {requiresApproval && <Badge>needs approval</Badge>}
    </span>
  ),
  Description: ({ description }) => description,
  Version: ({ version }) => version,
  Updated: ({ updatedAt }) => <Time at={updatedAt} />,
};

function NoFunctions({ isArchived }: { readonly isArchived: boolean }) {
  if (isArchived) return <EmptyState title="No archived functions" />;
  return (
    <EmptyState title="No functions yet">
      <p className="text-muted">Write one here, or scaffold one in a folder and push it:</p>
      <Command>{"parley functions init my-function\nparley functions push my-function"}</Command>
    </EmptyState>
  );
}
