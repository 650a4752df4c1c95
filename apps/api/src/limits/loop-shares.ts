import { setTimeout as sleep } from "node:timers/promises";
import { ParleyError } from "@parley/schema";
import { LRUCache } from "lru-cache";

/** The largest body. */
export const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
/** Bodies from here on are large: they have a share apart, so that small ones never wait for them. */
export const LARGE_BYTES = 16 * 1024;
/**
 * What reading, decoding, parsing and checking take of the event loop, with the memory for it: 8 MiB of text 100 to
 * 170 ms, 60,000 members about 60. An ordinary body is charged about 15 µs.
 */
const MS_PER_BYTE = 2e-5;
const MS_PER_VALUE = 1e-3;
/** The bytes of a form flow on as they come. */
const MS_PER_FORM_BYTE = 7e-6;
/** What the turn of a mentioned agent takes, here and in the database; the first of a message is free. */
const MS_PER_MENTION = 2;
/** The part of the event loop that a workspace may have for each: large bodies, small ones, and mentions. */
const SHARE = 0.1;
/** Time for which a workspace that has sent nothing may use all of the loop, as a part of `SHARE`. */
const SAVED_MS = 1000;
/** Past this wait they are refused: no more than 30 MB of a workspace's bodies wait. */
const MAX_WAIT_MS = 5000;
const MAX_ACCOUNTS = 10_000;

/** What a refusal says first. */
const refusals = {
  large: "Too many large bodies:",
  small: "Too many values in small bodies: send fewer, or",
  mentions: "Too many messages that mention many agents:",
} as const;
type Kind = keyof typeof refusals;
const limitNames = { large: "large-bodies", small: "small-bodies", mentions: "mentions" } as const;

/** What a body costs. */
export interface BodyCost {
  readonly bytes: number;
  readonly values: number;
}

interface Account {
  /** When what was taken is paid back. */
  paidAt: number;
}

const kindOf = (bytes: number): Kind => (bytes < LARGE_BYTES ? "small" : "large");

export type LoopShares = ReturnType<typeof createLoopShares>;

/**
 * Charges bodies to their workspaces by the time that they take of the event loop, before they are parsed, and
 * messages by their turns: those of a workspace follow each other at a pace that leaves most of the loop to others.
 */
export function createLoopShares(onRefused: (limit: string) => void = () => {}) {
  const options = { max: MAX_ACCOUNTS };
  const accounts = {
    large: new LRUCache<string, Account>(options),
    small: new LRUCache<string, Account>(options),
    mentions: new LRUCache<string, Account>(options),
  };
  const accountOf = (payer: string, kind: Kind): Account => {
    const found = accounts[kind].get(payer);
    if (found !== undefined) return found;
    const opened: Account = { paidAt: performance.now() };
    accounts[kind].set(payer, opened);
    return opened;
  };
  const waitOf = ({ paidAt }: Account): number => {
    return Math.max(0, paidAt - SAVED_MS - performance.now());
  };
  const refuse = (kind: Kind, waitMs: number): never => {
    onRefused(limitNames[kind]);
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    const message = `${refusals[kind]} try again in ${retryAfterSeconds} s`;
    throw new ParleyError("rate_limit_error", message, { retryAfterSeconds });
  };
  const msOf = ({ bytes, values }: BodyCost) => bytes * MS_PER_BYTE + values * MS_PER_VALUE;
  const add = (account: Account, costMs: number): void => {
    account.paidAt = Math.max(account.paidAt, performance.now()) + costMs / SHARE;
  };
  const charge = (kind: Kind, payer: string, costMs: number): Promise<void> | undefined => {
    const account = accountOf(payer, kind);
    const waitMs = waitOf(account);
    if (waitMs > MAX_WAIT_MS) refuse(kind, waitMs);
    add(account, costMs);
    return waitMs === 0 ? undefined : sleep(waitMs);
  };

  return {
    /** Throws `rate_limit_error` if a body, which has not been read, would wait too long. */
    requireRoom: (payer: string, length: number | undefined): void => {
      // A body without a length may be a large one.
      const kind = length === undefined ? "large" : kindOf(length);
      const account = accounts[kind].peek(payer);
      const waitMs = account === undefined ? 0 : waitOf(account);
      if (waitMs > MAX_WAIT_MS) refuse(kind, waitMs);
    },
    /**
     * Charges a body, and returns its wait, or undefined if it may be worked on at once. Throws
     * `rate_limit_error` if it would wait too long.
     */
    take: (payer: string, cost: BodyCost): Promise<void> | undefined => {
      return charge(kindOf(cost.bytes), payer, msOf(cost));
    },
    /** Charges a large body for what it was, in place of what it was taken for. */
    correct: (payer: string, taken: BodyCost, cost: BodyCost): void => {
      add(accountOf(payer, "large"), msOf(cost) - msOf(taken));
    },
    /** Charges the bytes of a form that have come. */
    spendForm: (payer: string, bytes: number): void => {
      add(accountOf(payer, "large"), bytes * MS_PER_FORM_BYTE);
    },
    /**
     * Charges the turns of a message, and returns its wait, or undefined if they may start at once. Throws
     * `rate_limit_error` if it would wait too long.
     */
    takeTurns: (payer: string, count: number): Promise<void> | undefined => {
      return charge("mentions", payer, (count - 1) * MS_PER_MENTION);
    },
  };
}
