import type { Core } from "./context.ts";
import type { Topic } from "./events/bus.ts";

/** How long a value is believed without asking the database: the bound on a change elsewhere. */
const TRUST_MS = 4000;
const MAX_TRUSTED = 10_000;

/** Values that are read for nearly every request and change rarely. */
export interface Trusted<Value> {
  /** The value of a key as it was a few seconds ago at most; undefined where there is none. */
  get(key: string): Promise<Value | undefined>;
  /** What `get` would now give without reading it; undefined where it would read. */
  peek(key: string): Value | undefined;
  close(): void;
}

/**
 * Remembers what `load` finds for some seconds, and forgets all of it at a hint of the topic: a
 * change in this process is in force at once. What is not found is not remembered, and of the others
 * the newest `maxTrusted` alone.
 */
export function createTrusted<Value>(
  core: Core,
  topic: Topic,
  load: (key: string) => Promise<Value | undefined>,
  maxTrusted = MAX_TRUSTED,
): Trusted<Value> {
  const trusted = new Map<string, { value: Value; until: number }>();
  let changes = 0;
  const close = core.bus.subscribe(topic, () => {
    changes++;
    trusted.clear();
  });
  const peek = (key: string): Value | undefined => {
    const known = trusted.get(key);
    return known !== undefined && known.until > core.now() ? known.value : undefined;
  };
  return {
    peek,
    get: async (key) => {
      const known = peek(key);
      if (known !== undefined) return known;
      trusted.delete(key);
      const before = changes;
      const value = await load(key);
      // It may have changed since it was read.
      if (value === undefined || before !== changes) return value;
      // The oldest entry goes first: a Map keeps the order of insertion.
      if (trusted.size >= maxTrusted) trusted.delete(trusted.keys().next().value ?? "");
      trusted.set(key, { value, until: core.now() + TRUST_MS });
      return value;
    },
    close,
  };
}
