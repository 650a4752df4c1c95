/** Work on fewer bytes holds the event loop for a millisecond at most. */
const LONG_BYTES = 64 * 1024;

/** While more pieces than these wait, none is followed by a pause: they hold bodies in memory. */
const MAX_PAUSED = 8;

/** Runs work on so many bytes, once its turn has come, and gives its result; throws what it throws. */
export type InTurn = <T>(bytes: number, work: () => T) => T | Promise<T>;

/**
 * Creates the turns of work that holds the event loop for long: one piece is worked on at a time, and after each
 * the loop is left to others for as long as the piece took. What is short waits for nothing.
 */
export function createTurns(): InTurn {
  let rested: Promise<void> = Promise.resolve();
  let waiting = 0;
  const wait = async <T>(work: () => T): Promise<T> => {
    waiting++;
    const before = rested;
    const { promise, resolve } = Promise.withResolvers<void>();
    rested = promise;
    await before;
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      waiting--;
      setTimeout(resolve, waiting > MAX_PAUSED ? 0 : performance.now() - startedAt);
    }
  };
  return (bytes, work) => (bytes < LONG_BYTES ? work() : wait(work));
}
