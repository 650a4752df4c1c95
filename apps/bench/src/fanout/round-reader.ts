import { ROUND_MARK } from "./publish-plan.ts";

const MARK = ROUND_MARK.charCodeAt(0);
const ZERO = "0".charCodeAt(0);
const SPACE = " ".charCodeAt(0);

/**
 * Finds the events in the bytes of a stream. `onEvent` is called once for each; what it is given
 * reads the number of the event's round, or undefined where the bytes end within it.
 */
export function readRounds(
  bytes: Buffer,
  onEvent: (readRound: () => number | undefined) => void,
): void {
  // A mark is a single byte, so none is missed where a frame comes in two pieces.
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    onEvent(() => readNumber(bytes, at + 1));
  }
}

function readNumber(bytes: Buffer, start: number): number | undefined {
  let value = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? SPACE;
    if (byte === SPACE) return value;
    value = value * 10 + byte - ZERO;
  }
  return undefined;
}
