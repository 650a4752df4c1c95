/** The streams that are open in this process. */
export interface LocalStreams {
  /** Names this process among those that write samples. */
  readonly processId: string;
  /** Open streams of each workspace, by its public id; none in a process without an API. */
  counts(): ReadonlyMap<string, number>;
  /** Has the counts read from there from now on. */
  watch(read: () => ReadonlyMap<string, number>): void;
}

/** Creates the counts of a process. */
export function createLocalStreams(processId: string): LocalStreams {
  let read: () => ReadonlyMap<string, number> = () => new Map();
  return {
    processId,
    counts: () => read(),
    watch: (given) => {
      read = given;
    },
  };
}
