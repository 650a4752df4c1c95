import { webhookSummaries } from "@parley/schema/webhook-summaries";
import { Fragment, type ReactNode } from "react";
import { Time } from "../ui/time.tsx";
import { Health } from "./health.tsx";
import type { Webhook } from "./states.ts";

const summaries: Readonly<Record<string, string>> = webhookSummaries;

/** What a webhook is told of, and how. */
export function Settings({ webhook }: { readonly webhook: Webhook }) {
  const { description, events, conversationIds, agentIds, functionIds } = webhook;
  const { sendsContent, isOrdered, includesTasks, isPulled, previousSecretUntil, createdAt } =
    webhook;
  const facts: readonly (readonly [name: string, fact: ReactNode] | false)[] = [
    ["State", <Health {...webhook} />],
    description !== "" && ["Description", description],
    [
      "Events",
      <ul>
        {events.map((event) => (
          <li key={event}>
            <code className="font-mono text-sm">{event}</code>{" "}
            <span className="text-muted">{summaries[event]}</span>
          </li>
        ))}
      </ul>,
    ],
    agentIds !== null && ["Only these agents", <Ids ids={agentIds} />],
    functionIds !== null && ["Only these functions", <Ids ids={functionIds} />],
    conversationIds !== null && ["Only these conversations", <Ids ids={conversationIds} />],
    ["Sends", sendsContent ? "the event itself, with its ids" : "ids only"],
    isPulled && ["Delivery", "taken by a program, such as parley webhooks listen"],
    includesTasks && ["Tasks", "those that agents give to others, too"],
    ["Order", isOrdered ? "as it happens in a conversation" : "any"],
    previousSecretUntil !== null &&
      previousSecretUntil > Date.now() && [
        "Secret",
        <>
          deliveries are also signed with the previous one until{" "}
          <Time at={previousSecretUntil} isAbsolute />
        </>,
      ],
    ["Created", <Time at={createdAt} />],
  ];
  return (
    <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[12rem_minmax(0,1fr)]">
      {facts.map(
        (fact) =>
          fact !== false && (
            <Fragment key={fact[0]}>
              <dt className="text-muted">{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}

const Ids = ({ ids }: { readonly ids: readonly string[] }) => (
  <code className="font-mono text-sm">{ids.join(", ")}</code>
);
