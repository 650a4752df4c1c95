import { setTimeout as sleep } from "node:timers/promises";
import { ParleyError } from "@parley/schema";
import { LRUCache } from "lru-cache";

/** Bodies from here on are large: they have a share apart, so that small ones never wait for them. */
export const LARGE_BYTES = 16 * 1024;
/**
 * What decoding, parsing and checking take of the event loop: 8 MiB of text, or 60,000 members, about 60 ms.
 * An ordinary body is charged about 10 µs.
 */
const MS_PER_BYTE = 7e-6;
const MS_PER_VALUE = 1e-3;
/** The part of the event loop that bodies of one workspace may have, the large ones and the small ones each. */
const SHARE = 0.1;
/** Time for which a workspace that has sent nothing may use all of the loop, as a part of `SHARE`. */
const SAVED_MS = 1000;
/** Past this wait, or these bytes that wait, bodies are refused. */
const MAX_WAIT_MS = 5000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const MAX_ACCOUNTS = 10_000;

/** What a refusal says first. */
const refusals = {
  large: "Too many large bodies:",
  small: "Too many values in small bodies: send fewer, or",
} as const;
type Size = keyof typeof refusals;

/** What a body costs. */
export interface BodyCost {
  readonly bytes: number;
  readonly values: number;
}

interface Account {
  /** When what was taken is paid back. */
  paidAt: number;
  waitingBytes: number;
}

const sizeOf = (bytes: number): Size => (bytes < LARGE_BYTES ? "small" : "large");

export type LoopShares = ReturnType<typeof createLoopShares>;

/**
 * Charges bodies to their workspaces by the time that they take of the event loop, before they are parsed:
 * those of a workspace follow each other at a pace that leaves most of the loop to others.
 */
export function createLoopShares(onRefused: (limit: string) => void = () => {}) {
  const options = { max: MAX_ACCOUNTS };
  const accounts = {
    large: new LRUCache<string, Account>(options),
    small: new LRUCache<string, Account>(options),
  };
  const accountOf = (payer: string, size: Size): Account => {
    const found = accounts[size].get(payer);
    if (found !== undefined) return found;
    const opened: Account = { paidAt: performance.now(), waitingBytes: 0 };
    accounts[size].set(payer, opened);
    return opened;
  };
  const waitOf = ({ paidAt }: Account): number => {
    return Math.max(0, paidAt - SAVED_MS - performance.now());
  };
  const refuse = (size: Size, waitMs: number): never => {
    onRefused(`${size}-bodies`);
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    const message = `${refusals[size]} try again in ${retryAfterSeconds} s`;
    throw new ParleyError("rate_limit_error", message, { retryAfterSeconds });
  };
  const add = (account: Account, { bytes, values }: BodyCost): void => {
    const costMs = bytes * MS_PER_BYTE + values * MS_PER_VALUE;
    account.paidAt = Math.max(account.paidAt, performance.now()) + costMs / SHARE;
  };
  const waitTurn = async (account: Account, held: number, waitMs: number): Promise<void> => {
    account.waitingBytes += held;
    await sleep(waitMs);
    account.waitingBytes -= held;
  };
  /** `held`: what the body takes of memory while it waits. */
  const charge = (payer: string, cost: BodyCost, held: number): Promise<void> | undefined => {
    const size = sizeOf(cost.bytes);
    const account = accountOf(payer, size);
    const waitMs = waitOf(account);
    const isFull = held > 0 && account.waitingBytes + held > MAX_WAITING_BYTES;
    if (waitMs > MAX_WAIT_MS || (waitMs > 0 && isFull)) refuse(size, waitMs);
    add(account, cost);
    return waitMs === 0 ? undefined : waitTurn(account, held, waitMs);
  };

  return {
    /** Throws `rate_limit_error` where a body, which has not been read, would wait too long. */
    requireRoom: (payer: string, length: number | undefined): void => {
      // A body without a length may be a large one.
      const size = length === undefined ? "large" : sizeOf(length);
      const account = accounts[size].peek(payer);
      if (account === undefined) return;
      const waitMs = waitOf(account);
      const isFull = account.waitingBytes >= MAX_WAITING_BYTES;
      if (waitMs > MAX_WAIT_MS || isFull) refuse(size, waitMs);
    },
    /**
     * Charges what a body that is about to be read may cost, and returns its wait, or undefined where it may be
     * read at once. Throws `rate_limit_error` where it would wait too long.
     */
    reserve: (payer: string, atMost: BodyCost): Promise<void> | undefined => {
      return charge(payer, atMost, 0);
    },
    /** The same for a body that was read. */
    take: (payer: string, cost: BodyCost): Promise<void> | undefined => {
      return charge(payer, cost, cost.bytes);
    },
    /** Charges what is worked on of a large body, which waits for nothing more; less than 0 gives back. */
    spend: (payer: string, cost: Partial<BodyCost>): void => {
      add(accountOf(payer, "large"), { bytes: 0, values: 0, ...cost });
    },
  };
}
