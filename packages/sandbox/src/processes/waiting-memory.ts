/** A program that waits without a place. */
export interface Resting {
  readonly workspaceId: number;
  /** When it began to wait. */
  readonly since: number;
  /** Memory that its process holds. */
  readonly bytes: number;
}

/**
 * Whom to end, so that the rest have at most `maxBytes` together: again and again the one that has waited for the
 * longest time, of the workspace that has most of the memory.
 */
export function chooseEnded<T extends Resting>(resting: readonly T[], maxBytes: number): T[] {
  const groups = Map.groupBy(resting, ({ workspaceId }) => workspaceId);
  const lines = [...groups.values()].map((line) => ({
    line: line.toSorted((one, other) => one.since - other.since),
    bytes: sumBytes(line),
  }));
  const ended: T[] = [];
  for (let bytes = sumBytes(resting); bytes > maxBytes;) {
    const largest = lines.reduce((one, other) => (other.bytes > one.bytes ? other : one));
    const first = largest.line.shift()!;
    largest.bytes -= first.bytes;
    bytes -= first.bytes;
    ended.push(first);
  }
  return ended;
}

const sumBytes = (resting: readonly Resting[]): number =>
  resting.reduce((sum, { bytes }) => sum + bytes, 0);
