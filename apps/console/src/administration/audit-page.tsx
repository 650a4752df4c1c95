import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";
import { SavedViews } from "../saved-views/saved-views.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button, buttonLook } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { type Filter, FilterChips } from "../ui/filter-chips.tsx";
import { ListPage } from "../ui/list.tsx";
import { fromLocalInput } from "../ui/local-time.ts";
import type { Columns } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

type Entry = Output<"audit.list">["auditEvents"][number];

/** The audit log of the workspace, or for operators of the server. */
export function AuditPage() {
  const { workspace } = useSession();
  const search = useSearch({ from: "/session/audit" });
  const { after, action, actor, outcome } = search;
  const wId = workspace?.sId ?? search.workspace;
  const since = fromLocalInput(search.since ?? "");
  const until = fromLocalInput(search.until ?? "");
  const filter = { wId, lastValue: after, action, actor, outcome, since, until };
  const entries = useQuery(trpc.audit.list.queryOptions(filter));
  const isOfServer = workspace === null;
  const isFiltered = Object.values({ ...search, after: undefined }).some(Boolean);
  return (
    <ListPage
      name="Audit log"
      lines={10}
      query={entries}
      rowsOf={({ auditEvents }) => auditEvents}
      keyOf={({ id }) => id}
      after={after}
      actions={<Button onClick={() => void entries.refetch()}>Refresh</Button>}
      above={<Filters isOfServer={isOfServer} />}
      columns={
        isOfServer ? { ...columns, ...workspaceColumn, ...origin } : { ...columns, ...origin }
      }
      empty={
        <EmptyState title={isFiltered ? "No matching entries" : "No entries"}>
          {isFiltered ? (
            <Link to="." search={{}} className={buttonLook()}>
              Clear filters
            </Link>
          ) : (
            <p className="text-muted">
              Changes by keys and users, and refused credentials, appear here.
            </p>
          )}
        </EmptyState>
      }
    />
  );
}

const code = "font-mono text-sm";

const columns: Columns<Entry> = {
  When: ({ at }) => <Time at={at} />,
  Who: ({ actor }) =>
    actor === null ? (
      <span className="text-muted">unknown</span>
    ) : (
      <Link
        to="."
        search={(before) => ({ ...before, after: undefined, actor: actor.id })}
        className="whitespace-nowrap text-accent hover:underline"
        title={`Show only actions by ${actor.id}`}
      >
        {actor.name}
      </Link>
    ),
  What: ({ action, count, subjectId, route }) => (
    <span>
      <code className={`whitespace-nowrap ${code}`}>{action}</code>
      {count > 1 && ` ${count} times`}
      {(subjectId ?? route) !== null && (
        <code className={`block whitespace-nowrap text-muted ${code}`}>{subjectId ?? route}</code>
      )}
    </span>
  ),
  Outcome: ({ outcome }) => (
    <Badge tone={outcome === "succeeded" ? "good" : "bad"}>{outcome}</Badge>
  ),
};

const workspaceColumn: Columns<Entry> = {
  Workspace: ({ workspaceId }) => <code className={code}>{workspaceId ?? "server"}</code>,
};

const origin: Columns<Entry> = {
  "Client IP": ({ clientIp }) => <span className="block min-w-24 text-sm">{clientIp ?? "–"}</span>,
  Request: ({ requestId }) => <code className={code}>{requestId ?? "–"}</code>,
};

/** Filters of the log; the choices are in the URL. */
function Filters({ isOfServer }: { readonly isOfServer: boolean }) {
  const { action, actor, outcome, since, until, workspace } = useSearch({ from: "/session/audit" });
  const navigate = useNavigate({ from: "/audit" });
  const filters: Filter[] = [
    { name: "action", label: "Operation", value: action, placeholder: "apiKeys.create" },
    { name: "actor", label: "Key or user id", value: actor, placeholder: "key_… or cli" },
    {
      name: "outcome",
      label: "Outcome",
      value: outcome,
      placeholder: "succeeded or an error type",
    },
    { name: "since", label: "From", value: since, type: "datetime-local" },
    { name: "until", label: "To", value: until, type: "datetime-local" },
  ];
  const ofServer: Filter = {
    name: "workspace",
    label: "Workspace id",
    value: workspace,
    placeholder: "all workspaces",
  };
  return (
    <FilterChips
      filters={isOfServer ? [...filters, ofServer] : filters}
      onChange={(changes) =>
        void navigate({ search: (before) => ({ ...before, ...changes, after: undefined }) })
      }
    >
      <SavedViews page="audit" />
    </FilterChips>
  );
}
