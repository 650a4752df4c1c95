import type { IncomingMessage, ServerResponse } from "node:http";
import type { Payer } from "./payer.ts";
import { cutOff, progressOf } from "../http/stalled-readers.ts";

// Every response of the process is here, whatever writes it. What its client does not read stays in
// memory, so it is sampled: nothing is added to the writing of a response.

const SAMPLE_MS = 200;
/** A reader that takes less than `MOVING_BYTES` in `GRACE_MS` may be reset to free memory. */
const MOVING_BYTES = 64 * 1024;
const GRACE_MS = 1000;
/** Parts of the budget of the process. */
const SHARES = { workspace: 0.5, key: 0.25 } as const;

interface UnreadBounds {
  /** Bytes of the process that wait for readers. */
  readonly maxBytes: number;
  /** How long a reader may take nothing. */
  readonly stallMs: number;
  /** Called for each reader that is reset. */
  readonly onReset?: (reason: "stalled" | "budget") => void;
}

/** A response with bytes that its client has not read. */
interface Unread {
  readonly response: ServerResponse;
  readonly payer: Payer | undefined;
  bytes: number;
  /** What the kernel had taken when the reader last moved, and when that was. */
  moved: number;
  movedAt: number;
  /** The same for any progress at all. */
  taken: number;
  takenAt: number;
}

export type UnreadResponses = ReturnType<typeof watchUnreadResponses>;

/**
 * Bounds the bytes that wait for readers, for each key, each workspace and the process. Beyond a bound, the
 * readers that have not moved for longest are disconnected with a reset; so is each that takes nothing for
 * `stallMs`.
 */
export function watchUnreadResponses({ maxBytes, stallMs, onReset = () => {} }: UnreadBounds) {
  const open = new Set<ServerResponse>();
  const payers = new WeakMap<IncomingMessage, Payer>();
  const waiting = new Map<ServerResponse, Unread>();
  const held = new WeakMap<ServerResponse, number>();
  let timer: NodeJS.Timeout | undefined;

  const reset = (unread: Unread, reason: "stalled" | "budget"): void => {
    waiting.delete(unread.response);
    open.delete(unread.response);
    onReset(reason);
    cutOff(unread.response);
  };

  const sample = (response: ServerResponse, now: number): void => {
    const { writableLength } = response;
    if (writableLength === 0) return void waiting.delete(response);
    const taken = takenOf(response);
    const unread = waiting.getOrInsertComputed(response, () => {
      const payer = payers.get(response.req);
      return { response, payer, bytes: 0, moved: taken, movedAt: now, taken, takenAt: now };
    });
    unread.bytes = writableLength + (held.get(response) ?? 0);
    if (taken !== unread.taken) Object.assign(unread, { taken, takenAt: now });
    if (taken - unread.moved >= MOVING_BYTES) Object.assign(unread, { moved: taken, movedAt: now });
    // A pipelined response waits for those before it, not for its reader.
    if (now - unread.takenAt >= stallMs && response.socket !== null) reset(unread, "stalled");
  };

  /** Resets readers of those that share a budget until they are within it. */
  const enforce = (all: readonly Unread[], budget: number, now: number): void => {
    let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= budget) return;
    for (const unread of all.toSorted((a, b) => a.movedAt - b.movedAt)) {
      if (total <= budget) return;
      // Readers that move are spared, up to twice the budget.
      if (now - unread.movedAt < GRACE_MS && total <= 2 * budget) return;
      total -= unread.bytes;
      reset(unread, "budget");
    }
  };

  const enforceEach = (idOf: (payer: Payer) => string | undefined, budget: number, now: number) => {
    const groups = Map.groupBy(waiting.values(), ({ payer }) => payer && idOf(payer));
    for (const [id, all] of groups) if (id !== undefined) enforce(all, budget, now);
  };

  const look = (): void => {
    const now = performance.now();
    for (const response of open) sample(response, now);
    if (waiting.size === 0) return;
    enforceEach(({ keyId }) => keyId, SHARES.key * maxBytes, now);
    enforceEach(({ workspaceId }) => workspaceId, SHARES.workspace * maxBytes, now);
    enforce([...waiting.values()], maxBytes, now);
  };

  return {
    /** Watches a response until its connection or itself has ended. */
    watch: (response: ServerResponse): void => {
      open.add(response);
      response.once("close", forget);
      timer ??= setInterval(look, Math.min(SAMPLE_MS, stallMs / 4)).unref();
    },
    /** Names the one whose budget the response to a request counts against. */
    charge: (request: IncomingMessage, payer: Payer): void => void payers.set(request, payer),
    /** Notes the bytes in memory for the rest of a response, besides those that are written. */
    hold: (response: ServerResponse, bytes: number): void => void held.set(response, bytes),
    close: (): void => clearInterval(timer),
  };

  function forget(this: ServerResponse): void {
    open.delete(this);
    waiting.delete(this);
  }
}

/** Bytes that the kernel has taken for the connection of a response. */
function takenOf(response: ServerResponse): number {
  const { through, left } = progressOf(response);
  return through - left;
}
