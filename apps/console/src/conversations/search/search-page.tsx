import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { trpc } from "../../api/clients.ts";
import { useWorkspaceId } from "../../api/use-session.ts";
import { StatusBadge } from "../../ui/badge.tsx";
import { buttonLook } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { List } from "../../ui/list.tsx";
import { fromLocalInput } from "../../ui/local-time.ts";
import { Page } from "../../ui/page.tsx";
import type { Columns } from "../../ui/table.tsx";
import { TitleLink } from "./title-link.tsx";
import { formatNumber, Time } from "../../ui/time.tsx";
import { SearchFields } from "./search-fields.tsx";

type Listed = Output<"conversations.listAll">["conversations"][number];

const PAGE_SIZE = 50;

/** All conversations of the workspace, for builders and higher; the filter is in the URL. */
export function ConversationSearchPage() {
  const wId = useWorkspaceId();
  const search = useSearch({ from: "/session/conversations/all" });
  const { q, agent, status, since = "", until = "", after } = search;
  const input = {
    wId,
    limit: PAGE_SIZE,
    title: q,
    agentId: agent,
    status,
    from: fromLocalInput(since),
    to: fromLocalInput(until),
    lastValue: after,
  };
  const found = useQuery(
    trpc.conversations.listAll.queryOptions(input, { placeholderData: keepPreviousData }),
  );
  return (
    <Page
      title="All conversations"
      actions={
        <Link to="/conversations" className={buttonLook()}>
          Your conversations
        </Link>
      }
    >
      <SearchFields />
      <div aria-busy={found.isPlaceholderData} className="grid min-w-0 gap-4">
        <List
          name="All conversations"
          label="the conversations"
          lines={10}
          query={found}
          rowsOf={({ conversations }) => conversations}
          keyOf={({ sId }) => sId}
          after={after}
          columns={columns}
          empty={<Nothing isMore={found.data?.hasMore === true} />}
        />
      </div>
    </Page>
  );
}

/** A filtered page may be empty although later ones are not. */
function Nothing({ isMore }: { readonly isMore: boolean }) {
  const search = useSearch({ from: "/session/conversations/all" });
  const { after, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (isMore) {
    return (
      <EmptyState title="No matches on this page">
        <p className="text-muted">Go to the next page to search older conversations.</p>
      </EmptyState>
    );
  }
  if (after !== undefined) return <EmptyState title="No more conversations" />;
  return (
    <EmptyState title={isFiltered ? "No matching conversations" : "No conversations yet"}>
      {isFiltered ? (
        <Link to="/conversations/all" className={buttonLook()}>
          Clear filter
        </Link>
      ) : (
        <Link to="/conversations/new" className={buttonLook()}>
          Start one
        </Link>
      )}
    </EmptyState>
  );
}

const columns: Columns<Listed> = {
  Title: TitleLink,
  State: ({ status }) => <StatusBadge status={status} />,
  Agents: ({ agents }) => agents.map(({ name }) => name).join(", "),
  User: ({ user }) => user?.name ?? "–",
  Messages: ({ messageCount }) => formatNumber(messageCount),
  "Last activity": ({ lastActivityAt }) => <Time at={lastActivityAt} />,
  Created: ({ createdAt }) => <Time at={createdAt} />,
};
