import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SavedViews } from "../saved-views/saved-views.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { TextField } from "../ui/field.tsx";
import { type Filter, FilterChips } from "../ui/filter-chips.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { fromLocalInput } from "../ui/local-time.ts";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { rowLink } from "../ui/table.tsx";
import { formatDuration, Time } from "../ui/time.tsx";
import { useResetForm } from "../ui/use-reset-form.ts";
import { Marked } from "./marked.tsx";

type Found = Output<"search.messages">["messages"][number];

/** How old the index may be before the page says so. */
const SHOWN_LAG_MS = 30_000;

/** Messages by their words, the newest first; what is searched for is in the URL. */
export function SearchPage() {
  const wId = useWorkspaceId();
  const {
    q,
    agent,
    since = "",
    until = "",
    after,
    ...rest
  } = useSearch({ from: "/session/search" });
  const input = {
    wId,
    ...rest,
    query: q ?? "",
    agentId: agent,
    from: fromLocalInput(since),
    to: fromLocalInput(until),
    lastValue: after,
  };
  const found = useQuery(
    trpc.search.messages.queryOptions(q === undefined ? skipToken : input, {
      placeholderData: keepPreviousData,
    }),
  );
  return (
    <Page title="Search">
      <SearchForm />
      <Chips />
      {q === undefined ? (
        <EmptyState title="Search the words of messages">
          <p className="text-muted">
            All words must occur. “…” finds words in this order, OR finds either of two, and -
            excludes one.
          </p>
        </EmptyState>
      ) : (
        <Loaded query={found} label="the messages" lines={10}>
          {({ messages, hasMore, lastValue, indexedUntil, isComplete }) => (
            <div aria-busy={found.isPlaceholderData} className="grid min-w-0 gap-4">
              <IndexState {...{ indexedUntil, isComplete }} readAt={found.dataUpdatedAt} />
              {messages.length === 0 ? (
                <EmptyState title={hasMore ? "No matches on this page" : "No matching messages"}>
                  {hasMore && (
                    <p className="text-muted">Go to the next page to search older ones.</p>
                  )}
                </EmptyState>
              ) : (
                <ol aria-label="Messages" className="grid gap-3">
                  {messages.map((message) => (
                    <li key={message.sId}>
                      <Result message={message} />
                    </li>
                  ))}
                </ol>
              )}
              <Pager after={after} next={hasMore ? lastValue : null} />
            </div>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function Result({ message }: { readonly message: Found }) {
  const { conversation, agent, createdAt, excerpt, highlights } = message;
  return (
    <article className="grid gap-1 rounded-lg border border-line px-4 py-3">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <Link
          to="/conversations/$conversationId"
          params={{ conversationId: conversation.sId }}
          className={rowLink}
        >
          {conversation.title === "" ? "Untitled conversation" : conversation.title}
        </Link>
        <span className="text-sm text-muted">
          {agent === null ? "User" : agent.name} · <Time at={createdAt} />
        </span>
      </p>
      <p className="measure break-words whitespace-pre-line text-muted">
        <Marked text={excerpt} ranges={highlights} />
      </p>
    </article>
  );
}

interface IndexStateProps {
  readonly indexedUntil: number | null;
  readonly isComplete: boolean;
  readonly readAt: number;
}

/** Says what is not found yet. */
function IndexState({ indexedUntil, isComplete, readAt }: IndexStateProps) {
  const lagMs = indexedUntil === null ? undefined : readAt - indexedUntil;
  if (isComplete && lagMs !== undefined && lagMs < SHOWN_LAG_MS) return null;
  return (
    <p role="status" className="text-sm text-muted">
      {!isComplete && "Older messages are still being indexed. "}
      {lagMs !== undefined && lagMs >= SHOWN_LAG_MS && (
        <>Messages of the last {formatDuration(lagMs)} are not indexed yet.</>
      )}
    </p>
  );
}

function SearchForm() {
  const { q } = useSearch({ from: "/session/search" });
  const navigate = useNavigate({ from: "/search" });
  const form = useResetForm(q ?? "");
  return (
    <search>
      <form
        ref={form}
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = String(new FormData(event.currentTarget).get("q")).trim() || undefined;
          void navigate({ search: (before) => ({ ...before, q: typed, after: undefined }) });
        }}
      >
        <div className="min-w-48 flex-1">
          <TextField
            label="Words"
            name="q"
            type="search"
            maxLength={512}
            autoComplete="off"
            defaultValue={q ?? ""}
          />
        </div>
        <Button type="submit" variant="primary">
          Search
        </Button>
      </form>
    </search>
  );
}

const types = [
  { id: "user_message", name: "Users" },
  { id: "agent_message", name: "Agents" },
];
const statuses = [
  { id: "succeeded", name: "Succeeded" },
  { id: "failed", name: "Failed" },
  { id: "cancelled", name: "Cancelled" },
];

function Chips() {
  const wId = useWorkspaceId();
  const { type, agent, status, since, until } = useSearch({ from: "/session/search" });
  const navigate = useNavigate({ from: "/search" });
  const { data: agents = [] } = useQuery({
    queryKey: [...trpc.agents.list.pathKey(), "names", wId],
    queryFn: async ({ signal }) => {
      const { agentConfigurations } = await rpc.agents.list.query({ wId }, { signal });
      return agentConfigurations.map(({ sId: id, name }) => ({ id, name }));
    },
    staleTime: 30_000,
  });
  const filters: Filter[] = [
    { name: "type", label: "Written by", value: type, choices: types },
    { name: "agent", label: "Agent", value: agent, choices: agents },
    { name: "status", label: "Status", value: status, choices: statuses },
    { name: "since", label: "From", value: since, type: "datetime-local" },
    { name: "until", label: "To", value: until, type: "datetime-local" },
  ];
  return (
    <FilterChips
      filters={filters}
      onChange={(changes) =>
        void navigate({ search: (before) => ({ ...before, ...changes, after: undefined }) })
      }
    >
      <SavedViews page="search" />
    </FilterChips>
  );
}
