import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { hasRole, hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Badge, StatusBadge } from "../ui/badge.tsx";
import { wordOf } from "../ui/states.ts";
import { buttonLook } from "../ui/button.tsx";
import { CurlCommand, EmptyState } from "../ui/empty-state.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import type { Columns } from "../ui/table.tsx";
import { TitleLink } from "./search/title-link.tsx";
import { Time } from "../ui/time.tsx";
import { matchesFilter } from "./filter.ts";

type Summary = Output<"conversations.list">["conversations"][number];

/** The conversations of the workspace, a page at a time. */
export function ConversationListPage() {
  const wId = useWorkspaceId();
  const search = useSearch({ from: "/session/conversations" });
  const { after, size = "20" } = search;
  const input = { wId, lastValue: after, limit: Number(size) };
  const list = useQuery(trpc.conversations.list.queryOptions(input));
  const session = useSession();
  const canWrite = hasScope(session, "conversations:write");
  return (
    <ListPage
      name="Conversations"
      lines={10}
      query={list}
      rowsOf={({ conversations }) => conversations.filter((one) => matchesFilter(one, search))}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        <>
          {hasRole(session, "builder") && (
            <Link to="/conversations/all" className={buttonLook()}>
              Search all
            </Link>
          )}
          {canWrite && (
            <Link to="/conversations/new" className={buttonLook("primary")}>
              <Icon name="plus" />
              New conversation
            </Link>
          )}
        </>
      }
      above={<Filters />}
      columns={columns}
      empty={
        list.data?.conversations.length === 0 ? (
          <EmptyState title="No conversations yet">
            <p className="text-muted">
              {canWrite
                ? "Start one with an agent here, or over the API:"
                : "Applications start them over the API:"}
            </p>
            <CurlCommand
              path={`/api/v1/w/${wId}/assistant/conversations`}
              body={{
                message: {
                  content: "Hello",
                  mentions: [{ configurationId: "helper" }],
                  context: { username: "ada", timezone: "UTC" },
                },
              }}
            />
          </EmptyState>
        ) : (
          <EmptyState title="No matching conversations on this page">
            <Link to="." search={{ after, size: search.size }} className={buttonLook()}>
              Clear filter
            </Link>
          </EmptyState>
        )
      }
    />
  );
}

const columns: Columns<Summary> = {
  Title: TitleLink,
  State: ({ actionRequired, unread }) => (
    <span className="flex flex-wrap gap-1">
      {actionRequired && <StatusBadge status="blocked" />}
      {unread && <Badge tone="accent">Unread</Badge>}
    </span>
  ),
  Updated: ({ updated }) => <Time at={updated} />,
  Created: ({ created }) => <Time at={created} />,
};

/** Filters of a page; the choices are in the URL. */
function Filters() {
  const search = useSearch({ from: "/session/conversations" });
  const navigate = useNavigate({ from: "/conversations" });
  const change = (changed: Partial<typeof search>, replace: boolean) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace });
  return (
    <search className="grid gap-3 sm:grid-cols-3">
      <TextField
        label="Filter by title"
        type="search"
        value={search.q ?? ""}
        onChange={(event) => change({ q: event.target.value || undefined }, true)}
      />
      <SelectField
        label="Show"
        value={search.show ?? ""}
        onChange={({ target: { value } }) =>
          change({ show: value === "unread" || value === "waiting" ? value : undefined }, false)
        }
      >
        <option value="">All</option>
        <option value="unread">Unread</option>
        <option value="waiting">{wordOf("blocked")}</option>
      </SelectField>
      <SelectField
        label="Rows per page"
        value={search.size ?? ""}
        onChange={({ target: { value } }) =>
          change(
            { size: value === "50" || value === "100" ? value : undefined, after: undefined },
            false,
          )
        }
      >
        <option value="">20</option>
        <option value="50">50</option>
        <option value="100">100</option>
      </SelectField>
    </search>
  );
}
