import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useClients } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

/** How often the table is read again while it is looked at. */
const REFRESH_MS = 5000;

const statuses = ["created", "succeeded", "errored"] as const;

/** The invocations of a function, the newest first; the filter is in the URL. */
export function InvocationTable({ functionId }: { readonly functionId: string }) {
  const { parley, workspaceId } = useClients();
  const { status, after } = useSearch({ from: "/session/functions/$functionId" });
  const navigate = useNavigate({ from: "/functions/$functionId" });
  const { data, error, refetch } = useQuery({
    queryKey: ["invocations", workspaceId, functionId, status, after],
    queryFn: ({ signal }) =>
      parley.invocations.list({ functionId, status, lastValue: after }, { signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <div className="grid gap-4">
      <SelectField
        label="Status"
        className="max-w-60"
        value={status ?? ""}
        onChange={({ target: { value } }) =>
          void navigate({
            search: { view: "invocations", status: statuses.find((one) => one === value) },
          })
        }
      >
        <option value="">All</option>
        <option value="created">Running</option>
        <option value="succeeded">Succeeded</option>
        <option value="errored">Failed</option>
      </SelectField>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the invocations" />}
      {data?.invocations.length === 0 && (
        <EmptyState
          title={data.hasMore ? "None on this page" : "There are no invocations to show"}
        />
      )}
      {data && data.invocations.length > 0 && (
        <Table label="Invocations" columns={["Invocation", "Status", "Invoked"]}>
          {data.invocations.map((invocation) => (
            <TableRow
              key={invocation.sId}
              cells={[
                <Link
                  to="/functions/$functionId/invocations/$invocationId"
                  params={{ functionId, invocationId: invocation.sId }}
                  className="font-mono text-sm text-accent hover:underline"
                >
                  {invocation.sId}
                </Link>,
                <StatusBadge status={invocation.status} />,
                <Time at={invocation.createdAt} />,
              ]}
            />
          ))}
        </Table>
      )}
      {data && <Pager after={after} next={data.hasMore ? data.lastValue : null} />}
    </div>
  );
}
