/** Which of a conversation's messages a summary replaces. */

/** A message, in its newest version that has ended. */
export interface PlannedMessage {
  readonly rank: number;
  readonly type: string;
  readonly bytes: number;
  /** What its files take in a prompt beside them: a transcript has only their names. 0 by default. */
  readonly fileBytes?: number;
}

export interface RangeLimits {
  /** The first position that an open answer, or its question, has: it and what follows stay. */
  readonly openRank: number | null;
  /** Messages that stay at the end, unless they are longer than `tailBytes`. */
  readonly keepsMessages: number;
  readonly tailBytes: number;
  /** Of the messages that one summary replaces, if they can be parted there. */
  readonly maxBytes: number;
}

const sizeOf = (rows: readonly PlannedMessage[]): number =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0);

const sizeInPrompt = (rows: readonly PlannedMessage[]): number =>
  rows.reduce((sum, { bytes, fileBytes = 0 }) => sum + bytes + fileBytes, 0);

/**
 * The last position that is replaced; undefined if everything stays. What stays begins with a question, or with
 * what was attached to it: an answer is never parted from its question, and the newest question stays.
 */
export function planRange(
  rows: readonly PlannedMessage[],
  { openRank, keepsMessages, tailBytes, maxBytes }: RangeLimits,
): number | undefined {
  const newest = rows.findLastIndex(({ type }) => type === "user_message");
  const starts = rows.flatMap(({ rank, type }, index) => {
    const isStart = type !== "agent_message" && rows[index - 1]?.type !== "content_fragment";
    const isBefore = index <= newest && (openRank === null || rank <= openRank);
    return index > 0 && isStart && isBefore ? index : [];
  });
  const byCount = starts.findLast((start) => rows.length - start >= keepsMessages) ?? 0;
  const isShort = sizeInPrompt(rows.slice(byCount)) <= tailBytes;
  const bySize = starts.filter((start) => start > byCount);
  const chosen = isShort
    ? byCount
    : (bySize.find((start) => sizeInPrompt(rows.slice(start)) <= tailBytes) ?? starts.at(-1) ?? 0);
  const fitting = starts.filter((start) => start <= chosen);
  const last = fitting.findLast((start) => sizeOf(rows.slice(0, start)) <= maxBytes) ?? fitting[0];
  const next = last === undefined || chosen === 0 ? undefined : rows[last];
  return next && next.rank - 1;
}
