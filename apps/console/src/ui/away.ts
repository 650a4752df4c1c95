import { useSyncExternalStore } from "react";

/** The number of callers that wait for a server that does not answer. */
let waiting = 0;
const listeners = new Set<() => void>();

function change(by: number): void {
  waiting += by;
  for (const listener of listeners) listener();
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;

/** Resolves once the server answers; until then, `useServerAway` is true. */
export async function untilServerAnswers(): Promise<void> {
  if (await answers()) return;
  change(1);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (await answers()) break;
  }
  change(-1);
}

/** Whether a caller waits for a server that does not answer. */
export const useServerAway = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting > 0,
  );

const answers = async (): Promise<boolean> =>
  fetch("/livez", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
