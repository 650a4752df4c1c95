import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { CreatedConversation, InvokedSandboxFunction } from "@parley/schema";
import { pathsOf } from "../request.ts";
import type { Replicas } from "./fleet.ts";
import { followToEnd } from "./follow-to-end.ts";
import { createFleetClient, type FleetClient } from "./insist.ts";
import type { Ledger } from "./ledger.ts";
import { quickWords, slowWords, type Subjects } from "./subjects.ts";

const CREATES_PER_SECOND = 80;
const INVOCATIONS_PER_SECOND = 20;
const FOLLOWERS = 300;
/** Nothing more is begun while so many requests are open: if a machine is slow, so are its clients. */
const OPEN_REQUESTS = 60;
/** One create in so many waits for its answer, and one in so many is answered word by word. */
const BLOCKING_EVERY = 20;
const SLOW_EVERY = 5;
/** One invocation in so many may be run again. */
const AGAIN_EVERY = 2;

/** Clients that create conversations and invoke functions, and others that follow the events. */
export interface Load {
  /** Begins nothing more, and resolves when all requests and followers have come to their end. */
  stop(): Promise<void>;
}

/** Starts the clients; what they are answered goes into the ledger. They know every replica. */
export function startLoad(fleet: Replicas, ledger: Ledger, subjects: Subjects): Load {
  const client = createFleetClient(fleet, ledger);
  const stopping = new AbortController();
  const open = new Set<Promise<void>>();
  const every = (perSecond: number, begin: (count: number) => Promise<void>) => {
    let count = 0;
    return setInterval(() => {
      if (open.size >= OPEN_REQUESTS) return;
      const work = begin(count++);
      open.add(work);
      void work.finally(() => open.delete(work));
    }, 1000 / perSecond);
  };
  const paths = pathsOf(fleet);
  const timers = [
    every(CREATES_PER_SECOND, (count) => create(client, ledger, { paths, subjects, count })),
    every(INVOCATIONS_PER_SECOND, (count) => invoke(client, ledger, { paths, subjects, count })),
  ];
  const followers = Array.from({ length: FOLLOWERS }, () =>
    followMany(client, ledger, stopping.signal),
  );
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(open);
      stopping.abort();
      await Promise.all(followers);
    },
  };
}

interface Next {
  readonly paths: ReturnType<typeof pathsOf>;
  readonly subjects: Subjects;
  readonly count: number;
}

async function create(
  client: FleetClient,
  ledger: Ledger,
  { paths, subjects, count }: Next,
): Promise<void> {
  const key = randomUUID();
  const blocking = count % BLOCKING_EVERY === 0;
  const isSlow = count % SLOW_EVERY === 0;
  const configurationId = isSlow ? subjects.slowAgent : subjects.quickAgent;
  const body = {
    title: key,
    message: { content: key, mentions: [{ configurationId }] },
    blocking,
  };
  const answered = await client.insist({ key, path: paths.conversations, body });
  if (answered === undefined) return;
  const { conversation } = CreatedConversation.parse(answered);
  const answer = conversation.content.flat().find(({ type }) => type === "agent_message");
  if (answer === undefined) throw new Error(`Nobody answers ${conversation.sId}`);
  const conversationPath = `${paths.conversations}/${conversation.sId}`;
  if (blocking) ledger.totals.blocking++;
  ledger.acknowledge(key, {
    kind: "answer",
    logId: answer.sId,
    eventsPath: `${conversationPath}/messages/${answer.sId}/events`,
    expected: isSlow ? slowWords : quickWords(key),
  });
}

async function invoke(
  client: FleetClient,
  ledger: Ledger,
  { paths, subjects, count }: Next,
): Promise<void> {
  const key = randomUUID();
  const slug = count % AGAIN_EVERY === 0 ? subjects.againFunction : subjects.onceFunction;
  const answered = await client.insist({
    key,
    path: paths.invocations(slug),
    body: { input: { a: count, b: 1 } },
    headers: { prefer: "respond-async" },
  });
  if (answered === undefined) return;
  const { invocation } = InvokedSandboxFunction.parse(answered);
  ledger.acknowledge(key, {
    kind: "invocation",
    logId: invocation.sId,
    eventsPath: `${paths.events(slug, invocation.sId)}?include=log,progress`,
    expected: JSON.stringify({ sum: count + 1 }),
  });
}

/** Follows the events of one log after the other, each to its end. */
async function followMany(client: FleetClient, ledger: Ledger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = ledger.takeUnfollowed();
    if (next === undefined) await sleep(20);
    else ledger.followed.set(next.logId, await followToEnd(client, ledger, next));
  }
}
