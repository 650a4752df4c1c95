import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { CreatedConversation } from "@parley/schema";
import { readFrames } from "../frames.ts";
import { pathsOf } from "../request.ts";
import type { Fleet } from "./fleet.ts";
import type { Ledger, Received } from "./ledger.ts";

const CREATES_PER_SECOND = 100;
const FOLLOWERS = 300;
/** One create in so many waits for its answer, and one in so many is answered for two seconds. */
const BLOCKING_EVERY = 20;
const SLOW_EVERY = 5;
/** A client gives up on a create only after this long. */
const PATIENCE_MS = 60_000;
const ANSWER_WITHIN_MS = 15_000;

const terminal = new Set(["agent_message_success", "agent_error", "agent_generation_cancelled"]);

/** Clients that create conversations, and others that follow the answers. */
export interface Load {
  /** Creates no more, and resolves when all creates and followers have come to their end. */
  stop(): Promise<void>;
}

/** Starts the clients; what they are told goes into the ledger. They know every replica. */
export function startLoad(fleet: Fleet, ledger: Ledger): Load {
  const stopping = new AbortController();
  const creates = new Set<Promise<void>>();
  let created = 0;
  let turn = 0;

  /** The replicas in turn, as a client with a list of addresses would try them. */
  const nextUrl = (): string => {
    for (let tried = 0; tried < fleet.apis.length; tried++) {
      const replica = fleet.apis[turn++ % fleet.apis.length];
      if (replica !== undefined) return replica.url;
    }
    return "http://127.0.0.1:1";
  };

  const timer = setInterval(() => {
    const work = create(fleet, ledger, { number: created++, nextUrl });
    creates.add(work);
    void work.finally(() => creates.delete(work));
  }, 1000 / CREATES_PER_SECOND);
  const followers = Array.from({ length: FOLLOWERS }, () =>
    followMany(fleet, ledger, { nextUrl, signal: stopping.signal }),
  );
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(creates);
      stopping.abort();
      await Promise.all(followers);
    },
  };
}

interface Clients {
  readonly nextUrl: () => string;
}

/** Creates one conversation, trying again with the same key for as long as a client would. */
async function create(
  fleet: Fleet,
  ledger: Ledger,
  { number, nextUrl }: Clients & { number: number },
): Promise<void> {
  const key = randomUUID();
  const blocking = number % BLOCKING_EVERY === 0;
  const agent = number % SLOW_EVERY === 0 ? "slowpoke" : "helper";
  const body = JSON.stringify({
    title: key,
    message: { content: "Hello", mentions: [{ configurationId: agent }] },
    blocking,
  });
  const deadline = performance.now() + PATIENCE_MS;
  let last = "";
  for (let attempt = 0; performance.now() < deadline; attempt++) {
    ledger.totals.attempts++;
    if (attempt > 0) {
      ledger.totals.retries++;
      await sleep(50 + Math.random() * 200);
    }
    try {
      const response = await fetch(nextUrl() + pathsOf(fleet).conversations, {
        method: "POST",
        headers: {
          authorization: `Bearer ${fleet.demo.adminKey}`,
          "content-type": "application/json",
          "idempotency-key": key,
        },
        body,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const text = await response.text();
      if (response.status === 200) {
        const { conversation } = CreatedConversation.parse(JSON.parse(text));
        const answer = conversation.content.flat().find(({ type }) => type === "agent_message");
        ledger.acknowledge(key, { conversationId: conversation.sId, messageId: answer!.sId });
        if (blocking) ledger.totals.blocking++;
        if (response.headers.has("idempotent-replayed")) ledger.totals.replayed++;
        return;
      }
      last = `${response.status} ${text.slice(0, 200)}`;
      // A client does not repeat what was refused for good.
      if (![409, 429, 500, 503].includes(response.status)) break;
    } catch (error) {
      last = String(error);
    }
  }
  ledger.failed.set(key, last);
}

/** Follows one answer after the other, each to its end. */
async function followMany(
  fleet: Fleet,
  ledger: Ledger,
  { nextUrl, signal }: Clients & { signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const next = ledger.takeUnfollowed();
    if (next === undefined) {
      await sleep(20);
      continue;
    }
    const { conversationId, messageId } = next;
    const path = `${pathsOf(fleet).conversations}/${conversationId}/messages/${messageId}/events`;
    ledger.followed.set(messageId, await follow(path.replace("/api/", "/api/sse/")));
  }

  async function follow(path: string): Promise<Received[]> {
    const received: Received[] = [];
    for (let attempt = 0; !terminal.has(received.at(-1)?.type ?? ""); attempt++) {
      if (attempt > 0) {
        ledger.totals.resumes++;
        await sleep(50 + Math.random() * 200);
      }
      try {
        const response = await fetch(nextUrl() + path, {
          headers: {
            authorization: `Bearer ${fleet.demo.adminKey}`,
            accept: "text/event-stream",
            "last-event-id": String(received.at(-1)?.seq ?? 0),
          },
        });
        if (response.status !== 200) {
          await response.text();
          continue;
        }
        for await (const frame of readFrames(response)) {
          const data = frame.data["data"] as { type: string };
          received.push({
            seq: Number(frame.id),
            type: data.type,
            payload: JSON.stringify(data),
          });
        }
      } catch {
        // The connection broke: the follower comes back with the number of its last event.
      }
    }
    return received;
  }
}
