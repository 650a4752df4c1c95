import { LRUCache } from "lru-cache";

/** How long a value is fresh: the bound on a change in another process. */
const TTL_MS = 4000;
const MAX_ENTRIES = 10_000;

/** A TTL cache of values that nearly every request reads and that rarely change. */
export interface ReadThroughCache<Value> {
  /** The value of a key as it was a few seconds ago at most; undefined if there is none. */
  get(key: string): Promise<Value | undefined>;
  /** Whether `get` would read nothing. */
  has(key: string): boolean;
  close(): void;
}

export interface ReadThroughCacheParts<Value> {
  /** Calls `onChange` when values of a workspace, or without one of any, may have changed; the result ends it. */
  readonly subscribe: (
    onChange: (change: { readonly workspaceId?: number | null }) => void,
  ) => () => void;
  readonly load: (key: string) => Promise<Value | undefined>;
  /** Whether a change in a workspace may affect the key; its value is not known during a read. */
  readonly isAffected: (
    workspaceId: number | null,
    key: string,
    value: Value | undefined,
  ) => boolean;
  readonly max?: number;
}

interface Entry<Value> {
  readonly reading: Promise<Value | undefined>;
  value: Value | undefined;
}

/**
 * Caches what `load` finds for a few seconds and drops what a change affects: a change in this process
 * takes effect at once and leaves other values cached. Concurrent reads of a key are one read. What is
 * not found is not cached.
 */
export function createReadThroughCache<Value>(
  now: () => number,
  { subscribe, load, isAffected, max = MAX_ENTRIES }: ReadThroughCacheParts<Value>,
): ReadThroughCache<Value> {
  // Not with `fetchMethod`: its reads in progress are not listed, so a change could not drop them.
  const entries = new LRUCache<string, Entry<Value>>({
    max,
    // lru-cache counts an entry of exactly this age as fresh.
    ttl: TTL_MS - 1,
    ttlResolution: 0,
    perf: { now },
  });
  const close = subscribe(({ workspaceId }) => {
    const affected = [...entries.entries()].filter(
      ([key, { value }]) => workspaceId === undefined || isAffected(workspaceId, key, value),
    );
    for (const [key] of affected) entries.delete(key);
  });
  const read = (key: string): Promise<Value | undefined> => {
    const entry: Entry<Value> = { reading: load(key), value: undefined };
    entries.set(key, entry);
    const settle = (value?: Value): void => {
      entry.value = value;
      if (value === undefined && entries.peek(key) === entry) entries.delete(key);
    };
    entry.reading.then(settle, () => settle());
    return entry.reading;
  };
  return {
    get: async (key) => entries.get(key)?.reading ?? read(key),
    has: (key) => entries.has(key),
    close,
  };
}
