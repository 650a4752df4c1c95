import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { CacheableQuery } from "@parley/rpc";
import { LRUCache } from "lru-cache";
import { etagOf } from "../http/conditional.ts";

/** Memory of the cached responses; the least recently used are dropped first. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Memory of an entry besides its bytes. */
const ENTRY_BYTES = 1024;
const compress = promisify(gzip);

/** The bytes of a response, with their validator. */
export class CachedResponse {
  readonly json: Buffer;
  /** Weak: the same in every content encoding. */
  readonly etag: string;
  #compressed: Promise<Buffer> | Buffer | undefined;

  constructor(output: unknown) {
    this.json = Buffer.from(JSON.stringify(output));
    this.etag = etagOf(this.json);
  }

  /** The JSON compressed, once. */
  gzip(): Promise<Buffer> | Buffer {
    this.#compressed ??= compress(this.json).then((bytes) => (this.#compressed = bytes));
    return this.#compressed;
  }
}

export type ResponseCache = ReturnType<typeof createResponseCache>;

/**
 * Caches responses by the version of their data, which is read for each query, and by the caller's
 * access. Concurrent queries share one computation, but only if neither version nor access changed
 * during it: else each computes its own, and nothing is cached.
 */
export function createResponseCache(maxBytes = MAX_BYTES) {
  const responses = new LRUCache<string, CachedResponse, CacheableQuery>({
    maxSize: maxBytes,
    // With room for the compressed bytes, which are added later.
    sizeCalculation: ({ json }, key) => 2 * json.length + key.length + ENTRY_BYTES,
    // A key contains its version, so its response is never outdated.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { context: query }) => {
      const response = new CachedResponse(await query.compute());
      return (await keyOf(query)) === key ? response : undefined;
    },
  });
  return {
    /** Returns the response to a query; computes it if the version of its data is new. */
    respond: async (query: CacheableQuery): Promise<CachedResponse> => {
      const key = await keyOf(query);
      return (
        responses.get(key) ??
        (await responses.fetch(key, { context: query })) ??
        new CachedResponse(await query.compute())
      );
    },
  };
}

async function keyOf(query: CacheableQuery): Promise<string> {
  const { version, access } = await query.readState();
  return `${query.key} ${version} ${access}`;
}
