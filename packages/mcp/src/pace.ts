/** Progress that is passed on whatever its pace. */
const FREE = 50;
const INTERVAL_MS = 100;

/** Says of each progress of a call whether it is passed on: not what comes faster than anybody reads. */
export function createPace(now: () => number = () => performance.now()): () => boolean {
  let [count, lastAt] = [0, 0];
  return () => {
    const at = now();
    if (++count > FREE && at - lastAt < INTERVAL_MS) return false;
    lastAt = at;
    return true;
  };
}
