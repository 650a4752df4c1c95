import type { AppRouter } from "@parley/rpc";
import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from "@trpc/client";
import { EventSource, type FetchLike } from "eventsource";
import superjson from "superjson";

export interface RpcOptions {
  /** Address of the server, as in `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly apiKey: string;
}

/**
 * Makes the typed client of the internal RPC: every procedure of the router, in batches, and its
 * subscriptions, which resume by themselves behind the last event when their connection breaks.
 */
export function createRpcClient(options: RpcOptions): TRPCClient<AppRouter> {
  const url = `${options.url.replace(/\/+$/, "")}/rpc`;
  const authorization = `Bearer ${options.apiKey}`;
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === "subscription",
        true: httpSubscriptionLink({
          url,
          transformer: superjson,
          EventSource,
          eventSourceOptions: { fetch: fetchEvents(authorization) },
        }),
        false: httpBatchLink({
          url,
          transformer: superjson,
          headers: { authorization },
          maxItems: 50,
        }),
      }),
    ],
  });
}

/**
 * Fetches a stream. A refusal becomes the event with which tRPC tells errors inside of streams: an
 * EventSource drops the body of any other status, and never tries again. What is not of the server
 * itself, as a proxy's own error, fails like a broken connection, so it is tried again.
 */
function fetchEvents(authorization: string): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, { ...init, headers: { ...init.headers, authorization } });
    if (response.ok) return response;
    const answer: unknown = await response.json();
    if (typeof answer !== "object" || answer === null || !("error" in answer)) {
      throw new Error(`Not an answer of Parley, with status ${response.status}`);
    }
    const headers = { "content-type": "text/event-stream" };
    const event = `event: serialized-error\ndata: ${JSON.stringify(answer.error)}\n\n`;
    return new Response(event, { headers });
  };
}
