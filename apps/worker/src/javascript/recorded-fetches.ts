import { FetchFault, type Guard } from "@parley/guarded-fetch";

/** A request of code with the answer that is kept of it. */
export interface RecordedFetch {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Recorded answers in place of a network, and what did not fit them. */
export interface Playback {
  readonly guard: Guard;
  /** Requests without a recorded answer, as `GET https://example.com/`. */
  readonly unrecorded: readonly string[];
  /** Recorded answers that nothing has asked for, in the same words. */
  readonly unused: readonly string[];
}

/** Statuses whose answers have no body. */
const bodiless: readonly number[] = [204, 205, 304];

/**
 * Answers requests from a list, by method and URL: each entry answers one request, in the order of the list. Nothing
 * is sent. The hosts and limits of the function hold as they do before a network.
 */
export function createPlayback(recorded: readonly RecordedFetch[]): Playback {
  const left = recorded.map((one) => ({ ...one, url: new URL(one.url).href }));
  const unrecorded: string[] = [];
  const guard: Guard = {
    isAllowedHost: () => false,
    open: ({ maxBytes }) => {
      const ending = new AbortController();
      let bytes = 0;
      const close = async () => ending.abort();
      return {
        fetch: async (given, { method = "GET", permit } = {}) => {
          const url = requireUrl(given);
          permit?.(url);
          const at = left.findIndex((one) => one.method === method && one.url === url.href);
          const [found] = at === -1 ? [] : left.splice(at, 1);
          if (found === undefined) {
            unrecorded.push(`${method} ${url.href}`);
            throw new FetchFault("unreachable", `No answer is recorded for ${method} ${url.href}`);
          }
          bytes += found.body.length;
          if (bytes > maxBytes) throw new FetchFault("too_large", "The answers are too large");
          const { status, headers, body } = found;
          return new Response(bodiless.includes(status) ? null : body, { status, headers });
        },
        signal: ending.signal,
        fault: undefined,
        close,
        [Symbol.asyncDispose]: close,
      };
    },
  };
  return {
    guard,
    unrecorded,
    get unused() {
      return left.map(({ method, url }) => `${method} ${url}`);
    },
  };
}

function requireUrl(given: string | URL): URL {
  const url = URL.parse(given);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new FetchFault("refused_address", "The URL must be one of http or https");
}
