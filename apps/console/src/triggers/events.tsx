import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { List } from "../ui/list.tsx";
import { Section } from "../ui/section.tsx";
import { rowLink } from "../ui/table.tsx";
import { wordOf } from "../ui/states.ts";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { EventDialog } from "./event-dialog.tsx";
import { eventStatuses, type TriggerEvent } from "./states.ts";

/** How often events are read again while one of them waits. */
const REFRESH_MS = 2000;

/** What a trigger has received, the newest first, and what it started; what has ended can be replayed. */
export function Events({ isOn }: { readonly isOn: boolean }) {
  const wId = useWorkspaceId();
  const { triggerId } = useParams({ from: "/session/triggers/$triggerId" });
  const { status, after } = useSearch({ from: "/session/triggers/$triggerId" });
  const navigate = useNavigate({ from: "/triggers/$triggerId" });
  const say = useToast();
  const [shownId, setShownId] = useState<string>();
  const list = useQuery(
    trpc.triggers.listEvents.queryOptions(
      { wId, triggerId, status, lastValue: after },
      {
        refetchInterval: ({ state }) =>
          state.data?.events.some((event) => event.status === "waiting") === true && REFRESH_MS,
        placeholderData: keepPreviousData,
      },
    ),
  );
  const replaying = useMutation({
    mutationKey: trpc.triggers.listEvents.pathKey(),
    mutationFn: async (eventIds: string[] | undefined) => {
      const named = { wId, triggerId, ...(eventIds !== undefined && { eventIds }) };
      let count = 0;
      for (let hasMore = true; hasMore;) {
        const answer = await rpc.triggers.replay.mutate(named);
        count += answer.queued;
        ({ hasMore } = answer);
      }
      return count;
    },
    onSuccess: (count) => say(count === 1 ? "1 event is replayed" : `${count} events are replayed`),
  });
  return (
    <Section
      title="Events"
      actions={
        isOn && (
          <Button isBusy={replaying.isPending} onClick={() => replaying.mutate(undefined)}>
            Replay all failed
          </Button>
        )
      }
    >
      <SelectField
        label="Status"
        className="max-w-60"
        value={status ?? ""}
        onChange={({ target: { value } }) =>
          void navigate({ search: { status: eventStatuses.find((one) => one === value) } })
        }
      >
        <option value="">All</option>
        {eventStatuses.map((one) => (
          <option key={one} value={one}>
            {wordOf(one)}
          </option>
        ))}
      </SelectField>
      {replaying.isError && <ErrorNotice error={replaying.error} />}
      <List
        name="Events"
        query={list}
        rowsOf={({ events }) => events}
        keyOf={({ sId }) => sId}
        after={after}
        empty={
          <EmptyState title={status === undefined ? "No events yet" : "No such events"}>
            <p className="text-muted">What the service sends to the URL is listed here.</p>
          </EmptyState>
        }
        columns={{
          Event: ({ key, sId }) => (
            <span>
              {key ?? "without a key"}
              <code className="block font-mono text-sm whitespace-nowrap text-muted">{sId}</code>
            </span>
          ),
          Status: ({ status: current }) => <StatusBadge status={current} />,
          Result: Result,
          Received: ({ createdAt }) => <Time at={createdAt} />,
          Actions: ({ sId, status: current, isSample }) => (
            <span className="flex gap-2">
              <Button isSmall of={sId} onClick={() => setShownId(sId)}>
                Details
              </Button>
              {isOn && current !== "waiting" && !isSample && (
                <Button isSmall of={sId} onClick={() => replaying.mutate([sId])}>
                  Replay
                </Button>
              )}
            </span>
          ),
        }}
      />
      {shownId !== undefined && (
        <EventDialog
          triggerId={triggerId}
          eventId={shownId}
          onClose={() => setShownId(undefined)}
        />
      )}
    </Section>
  );
}

/** What an event has started, or why it has not. */
function Result({ started, error, isSample }: TriggerEvent) {
  if (error !== null) return error;
  if (started?.conversationId !== undefined) {
    return (
      <Link
        to="/conversations/$conversationId"
        params={{ conversationId: started.conversationId }}
        className={rowLink}
      >
        Conversation
      </Link>
    );
  }
  return started?.invocationId ?? (isSample ? "a sample" : "");
}
