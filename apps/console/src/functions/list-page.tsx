import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { Badge, StatusBadge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { ShownFunction } from "./read-function.ts";

/** The sandbox functions of the workspace: those to invoke, and for builders the archived too. */
export function FunctionListPage() {
  const { parley, rpc, workspaceId } = useClients();
  const { after, status = "active" } = useSearch({ from: "/session/functions" });
  const navigate = useNavigate({ from: "/functions" });
  const isBuilder = hasRole(useSession(), "builder");
  const { data, error, refetch } = useQuery({
    queryKey: ["functions", workspaceId, isBuilder, status, after],
    queryFn: async ({ signal }) => {
      if (!isBuilder) return parley.functions.list({ lastValue: after }, { signal });
      const page = after === undefined ? {} : { lastValue: after };
      return rpc.sandboxFunctions.listAll.query({ wId: workspaceId, status, ...page }, { signal });
    },
  });
  return (
    <Page
      title="Functions"
      actions={
        isBuilder && (
          <Link to="/functions/new" className={buttonLook("primary")}>
            <Icon name="plus" />
            New function
          </Link>
        )
      }
    >
      {isBuilder && (
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
      )}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the functions" />}
      {data?.sandboxFunctions.length === 0 && <NoFunctions isArchived={status === "archived"} />}
      {data && data.sandboxFunctions.length > 0 && (
        <>
          <Table label="Functions" columns={["Function", "What it does", "Version", "Changed"]}>
            {data.sandboxFunctions.map((one) => (
              <Row key={one.sId} one={one} />
            ))}
          </Table>
          <Pager after={after} next={data.hasMore ? data.lastValue : null} />
        </>
      )}
    </Page>
  );
}

function NoFunctions({ isArchived }: { readonly isArchived: boolean }) {
  if (isArchived) return <EmptyState title="No function is archived" />;
  return (
    <EmptyState title="There are no functions yet">
      <p className="text-muted">Write one here, or make a folder with one, and push it:</p>
      <Command>{"parley functions init my-function\nparley functions push my-function"}</Command>
    </EmptyState>
  );
}

function Row({ one }: { readonly one: ShownFunction }) {
  return (
    <TableRow
      cells={[
        <span className="flex flex-wrap items-center gap-2">
          <Link
            to="/functions/$functionId"
            params={{ functionId: one.slug }}
            className="font-medium text-accent hover:underline"
          >
            {one.slug}
          </Link>
          {one.status === "archived" && <StatusBadge status="archived" />}
          {one.requiresApproval && <Badge>asks before it is called</Badge>}
        </span>,
        one.description,
        one.version,
        <Time at={one.updatedAt} />,
      ]}
    />
  );
}
