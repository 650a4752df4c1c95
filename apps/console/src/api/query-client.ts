import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isPassing, isSessionOver } from "./failures.ts";

let onSessionOver = (): void => {};

/** Sets the listener for the end of the session. */
export function whenSessionOver(listener: () => void): void {
  onSessionOver = listener;
}

/** Reports that the session has ended. */
export const endSessionHere = (): void => onSessionOver();

const onError = (error: Error): void => {
  if (isSessionOver(error)) endSessionHere();
};

const MAX_RETRIES = 4;
const FIRST_DELAY_MS = 250;

/**
 * The cache of queries. A mutation with the key of a procedure invalidates all queries of the same feature, and
 * succeeds once those on the page are refreshed.
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
      // Randomized, so that pages do not retry together.
      retryDelay: (failures) => Math.random() * FIRST_DELAY_MS * 2 ** failures,
    },
  },
});
