import { Fragment, type ReactNode } from "react";
import { CodeBlock } from "../ui/code-block.tsx";
import { Time } from "../ui/time.tsx";
import { Health } from "./health.tsx";
import { sourceNames, startsOf, type Trigger } from "./states.ts";

/** What a trigger receives, and what it starts. */
export function Settings({ trigger }: { readonly trigger: Trigger }) {
  const { description, source, url, mapping, onceBy, eventsPerMinute, maxBytes } = trigger;
  const { keyId, previousSecretUntil, createdAt } = trigger;
  const facts: readonly (readonly [name: string, fact: ReactNode] | false)[] = [
    ["State", <Health {...trigger} />],
    description !== "" && ["Description", description],
    ["Source", sourceNames[source.type]],
    [
      "URL",
      <code className="font-mono text-sm break-all">
        {url}
        {source.type === "url" && "/…"}
      </code>,
    ],
    ["Starts", startsOf(trigger)],
    ["Once by", onceBy ?? "nothing: every request starts something"],
    mapping?.type === "jsonata" &&
      mapping.filter !== undefined && [
        "Filter",
        <CodeBlock label="Filter">{mapping.filter}</CodeBlock>,
      ],
    mapping?.type === "jsonata" &&
      mapping.message !== undefined && [
        "Message",
        <CodeBlock label="Message">{mapping.message}</CodeBlock>,
      ],
    mapping?.type === "javascript" && [
      "Message",
      <CodeBlock label="Module">{mapping.source}</CodeBlock>,
    ],
    ["Limits", `${eventsPerMinute} events per minute, ${maxBytes} bytes each`],
    ["Acts for", <code className="font-mono text-sm">{keyId ?? "a key that was deleted"}</code>],
    previousSecretUntil !== null &&
      previousSecretUntil > Date.now() && [
        "Secret",
        <>
          the previous one is accepted too until <Time at={previousSecretUntil} isAbsolute />
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
