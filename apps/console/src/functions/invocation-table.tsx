import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { List } from "../ui/list.tsx";
import { Time } from "../ui/time.tsx";

/** How often the table is refreshed while it is visible. */
const REFRESH_MS = 5000;

const statuses = ["created", "succeeded", "errored"] as const;

/** The invocations of a function, the newest first; the filter is in the URL. */
export function InvocationTable({ functionId }: { readonly functionId: string }) {
  const wId = useWorkspaceId();
  const { status, after } = useSearch({ from: "/session/functions/$functionId" });
  const navigate = useNavigate({ from: "/functions/$functionId" });
  const input = { wId, functionId, status, lastValue: after };
  const invocations = useQuery(
    trpc.invocations.list.queryOptions(input, { refetchInterval: REFRESH_MS }),
  );
  const hasMore = invocations.data?.hasMore === true;
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
      <List
        name="Invocations"
        query={invocations}
        rowsOf={(page) => page.invocations}
        keyOf={({ sId }) => sId}
        after={after}
        empty={
          <EmptyState
            title={hasMore ? "No matching invocations on this page" : "No invocations found"}
          />
        }
        columns={{
          Invocation: ({ sId }) => (
            <Link
              to="/functions/$functionId/invocations/$invocationId"
              params={{ functionId, invocationId: sId }}
              className="font-mono text-sm text-accent hover:underline"
            >
              {sId}
            </Link>
          ),
          Status: (invocation) => <StatusBadge status={invocation.status} />,
          Invoked: ({ createdAt }) => <Time at={createdAt} />,
        }}
      />
    </div>
  );
}
