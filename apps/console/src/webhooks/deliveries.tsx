import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge, StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { List } from "../ui/list.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { type Delivery, deliveryStatuses, lastAnswerOf } from "./states.ts";

/** How often deliveries are read again while one of them is being sent. */
const REFRESH_MS = 2000;

const isBeingSent = ({ status, attempts }: Delivery): boolean =>
  status === "waiting" && attempts.length === 0;

/** What a webhook was told, the newest first, and how its server answered; what has ended can be sent again. */
export function Deliveries({ isOn }: { readonly isOn: boolean }) {
  const wId = useWorkspaceId();
  const { webhookId } = useParams({ from: "/session/webhooks/$webhookId" });
  const { status, after } = useSearch({ from: "/session/webhooks/$webhookId" });
  const navigate = useNavigate({ from: "/webhooks/$webhookId" });
  const say = useToast();
  const [shownId, setShownId] = useState<string>();
  const list = useQuery(
    trpc.webhooks.listDeliveries.queryOptions(
      { wId, webhookId, status, lastValue: after },
      {
        refetchInterval: ({ state }) =>
          state.data?.deliveries.some(isBeingSent) === true && REFRESH_MS,
        placeholderData: keepPreviousData,
      },
    ),
  );
  const sending = useMutation({
    mutationKey: trpc.webhooks.listDeliveries.pathKey(),
    mutationFn: async (deliveryIds: string[] | undefined) => {
      const named = { wId, webhookId, ...(deliveryIds !== undefined && { deliveryIds }) };
      let count = 0;
      for (let hasMore = true; hasMore;) {
        const answer = await rpc.webhooks.redeliver.mutate(named);
        count += answer.queued;
        ({ hasMore } = answer);
      }
      return count;
    },
    onSuccess: (count) =>
      say(count === 1 ? "1 delivery is sent again" : `${count} deliveries are sent again`),
  });
  const shown = list.data?.deliveries.find(({ sId }) => sId === shownId);
  return (
    <Section
      title="Deliveries"
      actions={
        isOn && (
          <Button isBusy={sending.isPending} onClick={() => sending.mutate(undefined)}>
            Send all failed again
          </Button>
        )
      }
    >
      <SelectField
        label="Status"
        className="max-w-60"
        value={status ?? ""}
        onChange={({ target: { value } }) =>
          void navigate({ search: { status: deliveryStatuses.find((one) => one === value) } })
        }
      >
        <option value="">All</option>
        {deliveryStatuses.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </SelectField>
      {sending.isError && <ErrorNotice error={sending.error} />}
      <List
        name="Deliveries"
        query={list}
        rowsOf={({ deliveries }) => deliveries}
        keyOf={({ sId }) => sId}
        after={after}
        empty={
          <EmptyState title={status === undefined ? "No deliveries yet" : "No such deliveries"}>
            <p className="text-muted">What happens from now on is delivered here and listed.</p>
          </EmptyState>
        }
        least={["Attempts", "Last answer"]}
        columns={{
          Event: ({ event, sId }) => (
            <span>
              {event}
              <code className="block font-mono text-sm whitespace-nowrap text-muted">{sId}</code>
            </span>
          ),
          Status: DeliveryStatus,
          Attempts: ({ attempts }) => attempts.length,
          "Last answer": lastAnswerOf,
          Happened: ({ createdAt }) => <Time at={createdAt} />,
          Actions: ({ sId, status: current }) => (
            <span className="flex gap-2">
              <Button isSmall of={sId} onClick={() => setShownId(sId)}>
                Details
              </Button>
              {isOn && current !== "waiting" && (
                <Button isSmall of={sId} onClick={() => sending.mutate([sId])}>
                  Send again
                </Button>
              )}
            </span>
          ),
        }}
      />
      {shown && <DeliveryDialog delivery={shown} onClose={() => setShownId(undefined)} />}
    </Section>
  );
}

/** The status of a delivery, and when it is tried again. */
function DeliveryStatus({ status, nextAttemptAt }: Delivery) {
  if (status !== "waiting") return <StatusBadge status={status} />;
  return (
    <span>
      <Badge tone="accent">waiting</Badge>
      {nextAttemptAt !== null && (
        <span className="block text-sm text-muted">
          next attempt <Time at={nextAttemptAt} />
        </span>
      )}
    </span>
  );
}
