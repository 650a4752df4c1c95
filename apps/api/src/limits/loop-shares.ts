import { setTimeout as sleep } from "node:timers/promises";
import { countValues, ParleyError } from "@parley/schema";
import { LRUCache } from "lru-cache";

/** Smaller bodies take too little time to be counted. */
const COUNTED_BYTES = 16 * 1024;
/** What decoding, parsing and checking take of the event loop: 8 MiB of text, or 60,000 members, about 60 ms. */
const MS_PER_BYTE = 7e-6;
const MS_PER_VALUE = 1e-3;
/** The part of the event loop that bodies of one workspace may have. */
const SHARE = 0.1;
/** Time for which a workspace that has sent nothing may use all of the loop, as a part of `SHARE`. */
const SAVED_MS = 1000;
/** Past this wait, or these bytes that wait, bodies are refused. */
const MAX_WAIT_MS = 5000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const MAX_ACCOUNTS = 10_000;

interface Account {
  /** When what was taken is paid back. */
  paidAt: number;
  waitingBytes: number;
}

export type LoopShares = ReturnType<typeof createLoopShares>;

/**
 * Charges large bodies to their workspaces by the time that they take of the event loop, before they are
 * parsed: those of a workspace follow each other at a pace that leaves most of the loop to others.
 */
export function createLoopShares(onRefused: () => void = () => {}) {
  const accounts = new LRUCache<string, Account>({ max: MAX_ACCOUNTS });
  const accountOf = (payer: string): Account => {
    const account = accounts.get(payer) ?? { paidAt: 0, waitingBytes: 0 };
    accounts.set(payer, account);
    return account;
  };
  const waitOf = ({ paidAt }: Account): number => {
    return Math.max(0, paidAt - SAVED_MS - performance.now());
  };
  const refuse = (waitMs: number): never => {
    onRefused();
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    const message = `Too many large bodies: try again in ${retryAfterSeconds} s`;
    throw new ParleyError("rate_limit_error", message, { retryAfterSeconds });
  };

  return {
    /** Throws `rate_limit_error` where a body, which has not been read, would wait too long. */
    requireRoom: (payer: string, length: number | undefined) => {
      // A body without a length may be a large one.
      if (length !== undefined && length < COUNTED_BYTES) return;
      const account = accounts.peek(payer);
      if (account === undefined) return;
      const waitMs = waitOf(account);
      const isFull = account.waitingBytes >= MAX_WAITING_BYTES;
      if (waitMs > MAX_WAIT_MS || isFull) refuse(waitMs);
    },
    /** Waits until a body may be parsed. Throws `rate_limit_error` where that takes too long. */
    take: async (payer: string, text: string): Promise<void> => {
      const { length } = text;
      if (length < COUNTED_BYTES) return;
      const account = accountOf(payer);
      const waitMs = waitOf(account);
      const isFull = account.waitingBytes + length > MAX_WAITING_BYTES;
      if (waitMs > MAX_WAIT_MS || (waitMs > 0 && isFull)) refuse(waitMs);
      const costMs = length * MS_PER_BYTE + countValues(text) * MS_PER_VALUE;
      account.paidAt = Math.max(account.paidAt, performance.now()) + costMs / SHARE;
      if (waitMs === 0) return;
      account.waitingBytes += length;
      await sleep(waitMs);
      account.waitingBytes -= length;
    },
  };
}
