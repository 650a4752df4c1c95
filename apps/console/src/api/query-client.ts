import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isPassing, isSessionOver } from "./failures.ts";

let onSessionOver = (): void => {};

/** Sets what happens when the server no longer knows the session. */
export function whenSessionOver(listener: () => void): void {
  onSessionOver = listener;
}

/** Says that the server no longer knows the session. */
export const endSessionHere = (): void => onSessionOver();

const onError = (error: Error): void => {
  if (isSessionOver(error)) endSessionHere();
};

const MAX_RETRIES = 4;
const FIRST_DELAY_MS = 250;

/**
 * What the page has read. A mutation with the key of a procedure makes all that was read of the same feature stale, and
 * succeeds once what the page shows of it has been read again.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError,
    onSuccess: async (_data, _input, _result, { options: { mutationKey } }) => {
      const [path] = (mutationKey ?? []) as readonly (readonly string[])[];
      if (path !== undefined) await queryClient.invalidateQueries({ queryKey: [[path[0]]] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (failures, error) => failures < MAX_RETRIES && isPassing(error),
      // At random, so that pages do not come back together.
      retryDelay: (failures) => Math.random() * FIRST_DELAY_MS * 2 ** failures,
    },
  },
});
