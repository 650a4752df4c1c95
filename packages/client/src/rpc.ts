import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from "@trpc/client";
import { EventSource, type FetchLike } from "eventsource";
import superjson from "superjson";
import { type ApiKey, authorizationFor, parseBaseUrl, refuseRedirect } from "./connection.ts";
import { ParleyError } from "./errors.ts";
import type { RpcRouter } from "./rpc-router.ts";

/** Where the internal RPC is, and who calls it. */
export interface RpcOptions {
  /** Address of the server, as in `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly apiKey: ApiKey;
}

/** The client of the internal RPC. */
export type RpcClient = TRPCClient<RpcRouter>;

/**
 * Makes the typed client of the internal RPC: every procedure of the router, in batches, and its
 * subscriptions, which resume by themselves behind the last event when their connection breaks.
 *
 * @example
 * const operator = createRpcClient({ url, apiKey: operatorKey });
 * const { workspace } = await operator.workspaces.create.mutate({ name: "Analytical Engines" });
 * const { secret } = await operator.apiKeys.create.mutate({
 *   workspaceId: workspace.sId,
 *   name: "notebook",
 *   role: "user",
 * });
 * console.log(secret.startsWith("sk-")); // true
 */
export function createRpcClient(options: RpcOptions): RpcClient {
  const url = `${parseBaseUrl(options.url)}/rpc`;
  return createTRPCClient<RpcRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === "subscription",
        true: httpSubscriptionLink({
          url,
          transformer: superjson,
          EventSource,
          eventSourceOptions: { fetch: fetchEvents(options.apiKey) },
        }),
        false: httpBatchLink({
          url,
          transformer: superjson,
          headers: async () => ({ authorization: await authorizationFor(options.apiKey) }),
          fetch: async (input, init) =>
            refuseRedirect(await fetch(input, { ...init, redirect: "manual" } as RequestInit)),
          maxItems: 50,
        }),
      }),
    ],
  });
}

/**
 * Fetches a stream. A refusal becomes the event with which tRPC tells errors inside of streams: an
 * EventSource drops the body of any other status, and never tries again. So does a key that no server
 * takes. What is not of the server itself, as a proxy's own error, fails like a broken connection, so
 * it is tried again.
 */
function fetchEvents(apiKey: ApiKey): FetchLike {
  return async (url, init) => {
    let authorization: string;
    try {
      authorization = await authorizationFor(apiKey);
    } catch (error) {
      if (error instanceof ParleyError) return errorEvent(unauthorized(error));
      throw error;
    }
    const headers = { ...init.headers, authorization };
    const response = refuseRedirect(await fetch(url, { ...init, headers, redirect: "manual" }));
    if (response.ok) return response;
    const answer: unknown = await response.json();
    if (typeof answer !== "object" || answer === null || !("error" in answer)) {
      throw new Error(`Not an answer of Parley, with status ${response.status}`);
    }
    return errorEvent(answer.error);
  };
}

function errorEvent(error: unknown): Response {
  const event = `event: serialized-error\ndata: ${JSON.stringify(error)}\n\n`;
  return new Response(event, { headers: { "content-type": "text/event-stream" } });
}

/** An error as the server would tell it. */
function unauthorized({ type, message }: ParleyError): unknown {
  const data = { code: "UNAUTHORIZED", httpStatus: 401, type, message };
  return superjson.serialize({ message, code: -32_001, data });
}
