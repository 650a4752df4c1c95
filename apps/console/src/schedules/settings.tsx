import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { CodeBlock, JsonBlock } from "../ui/code-block.tsx";
import { Time } from "../ui/time.tsx";
import { Health } from "./health.tsx";
import { memberOf, missedTimes, overlaps, type Schedule, timesOf } from "./states.ts";
import { ZonedTime } from "./zoned-time.tsx";

type Fact = readonly [name: string, fact: ReactNode] | false;

/** What a schedule starts, and when. */
export function Settings({ schedule }: { readonly schedule: Schedule }) {
  const { description, timezone, nextSlot, overlap, missed, jitterSeconds, keyId } = schedule;
  const facts: readonly Fact[] = [
    ["State", <Health {...schedule} />],
    description !== "" && ["Description", description],
    ...launchOf(schedule),
    [
      "Times",
      <>
        <code className="font-mono text-sm">{timesOf(schedule)}</code> {timezone}
      </>,
    ],
    nextSlot !== null && ["Next", <ZonedTime at={nextSlot} timezone={timezone} />],
    ["If the firing before still runs", overlaps[overlap]],
    ["Missed times", missedTimes[missed]],
    jitterSeconds > 0 && ["Jitter", `up to ${jitterSeconds} s`],
    ["Acts for", keyId === null ? "a deleted key" : <Code>{keyId}</Code>],
    ["Created", <Time at={schedule.createdAt} />],
  ];
  return (
    <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[14rem_minmax(0,1fr)]">
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

function launchOf({ agent, function: invoked }: Schedule): readonly Fact[] {
  const of = (member: string) => memberOf(agent ?? invoked, member);
  const version = of("agentVersion") || of("functionVersion");
  const functionId = of("functionId");
  if (agent === null) {
    return [
      [
        "Function",
        <Link to="/functions/$functionId" params={{ functionId }} className="underline">
          {functionId}
        </Link>,
      ],
      ["Version", version || "newest"],
      ["Input", <JsonBlock value={invoked?.["input"] ?? null} label="Input" />],
    ];
  }
  const agentId = of("agentId");
  const conversationId = of("conversationId");
  return [
    [
      "Agent",
      <Link to="/agents/$agentId" params={{ agentId }} className="underline">
        {agentId}
      </Link>,
    ],
    ["Version", version || "newest"],
    ["Message", <CodeBlock label="Message">{of("message")}</CodeBlock>],
    [
      "Conversation",
      conversationId === "" ? (
        "a new one each time"
      ) : (
        <Link
          to="/conversations/$conversationId"
          params={{ conversationId }}
          className="font-mono text-sm underline"
        >
          {conversationId}
        </Link>
      ),
    ],
    of("title") !== "" && ["Title", of("title")],
    of("spaceId") !== "" && ["Space", <Code>{of("spaceId")}</Code>],
    of("email") !== "" && ["Member", of("email")],
  ];
}

const Code = ({ children }: { readonly children: string }) => (
  <code className="font-mono text-sm">{children}</code>
);
