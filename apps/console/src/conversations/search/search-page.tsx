import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useClients } from "../../api/use-session.ts";
import { buttonLook } from "../../ui/button.tsx";
import { StatusBadge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { fromLocalInput } from "../../ui/local-time.ts";
import { Page } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Table, TableRow } from "../../ui/table.tsx";
import { formatNumber, Time } from "../../ui/time.tsx";
import { SearchFields } from "./search-fields.tsx";

type Listed = Output<"conversations.listAll">["conversations"][number];

const PAGE_SIZE = 50;

/** The conversations of everybody in the workspace, for those who build; the filter is in the URL. */
export function ConversationSearchPage() {
  const { rpc, workspaceId: wId } = useClients();
  const search = useSearch({ from: "/session/conversations/all" });
  const { q, agent, status, since, until, after } = search;
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ["all-conversations", wId, search],
    queryFn: ({ signal }) => {
      const [from, to] = [since, until].map((time) => time && fromLocalInput(time));
      const call = {
        wId,
        limit: PAGE_SIZE,
        ...(q !== undefined && { title: q }),
        ...(agent !== undefined && { agentId: agent }),
        ...(status !== undefined && { status }),
        ...(typeof from === "number" && { from }),
        ...(typeof to === "number" && { to }),
        ...(after !== undefined && { lastValue: after }),
      };
      return rpc.conversations.listAll.query(call, { signal });
    },
    placeholderData: (before) => before,
  });
  const next = data?.hasMore === true ? data.lastValue : null;
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
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the conversations" lines={10} />}
      {data && (
        <div aria-busy={isPlaceholderData} className="grid min-w-0 gap-4">
          {data.conversations.length === 0 ? (
            <Nothing isMore={next !== null} />
          ) : (
            <Table
              label="All conversations"
              columns={["Title", "State", "Agents", "User", "Messages", "Last activity", "Created"]}
            >
              {data.conversations.map((one) => (
                <Row key={one.sId} one={one} />
              ))}
            </Table>
          )}
          <Pager after={after} next={next} />
        </div>
      )}
    </Page>
  );
}

/** A page of a filter may be empty although later ones are not. */
function Nothing({ isMore }: { readonly isMore: boolean }) {
  const search = useSearch({ from: "/session/conversations/all" });
  const { after, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (isMore) {
    return (
      <EmptyState title="None of these conversations matches">
        <p className="text-muted">The next page looks among older ones.</p>
      </EmptyState>
    );
  }
  if (after !== undefined) return <EmptyState title="There are no more conversations" />;
  return (
    <EmptyState title={isFiltered ? "No conversation matches" : "There are no conversations yet"}>
      {isFiltered ? (
        <Link to="/conversations/all" className={buttonLook()}>
          Remove the filter
        </Link>
      ) : (
        <Link to="/conversations/new" className={buttonLook()}>
          Begin one
        </Link>
      )}
    </EmptyState>
  );
}

function Row({ one }: { readonly one: Listed }) {
  const { sId, title, status, agents, user, messageCount, lastActivityAt, createdAt } = one;
  return (
    <TableRow
      cells={[
        <Link
          to="/conversations/$conversationId"
          params={{ conversationId: sId }}
          className="line-clamp-2 font-medium text-accent hover:underline"
        >
          {title === "" ? "Without a title" : title}
        </Link>,
        <StatusBadge status={status} />,
        agents.map(({ name }) => name).join(", "),
        user?.name ?? "–",
        formatNumber(messageCount),
        <Time at={lastActivityAt} />,
        <Time at={createdAt} />,
      ]}
    />
  );
}
