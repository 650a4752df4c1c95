import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from "@trpc/client";
import { EventSource, type FetchLike } from "eventsource";
import { type ApiKey, credentialFor, parseBaseUrl, refuseRedirect } from "./connection.ts";
import { ParleyError } from "./errors.ts";
import type { RpcRouter } from "./rpc-router.ts";
import { requireSafeMeta, type SentSuperjson } from "@parley/schema/superjson-meta";
import { SuperJSON, type SuperJSONResult } from "superjson";

/** An instance of its own: what an application registers stays out of its calls. */
const superjson = new SuperJSON();

/**
 * superjson for the calls of the RPC, once `requireSafeMeta` has checked what it would build. An object in several places
 * is sent in each. Throws `TypeError` for one that holds itself, and for what is not superjson.
 */
export const transformer = {
  serialize: (input: unknown): SuperJSONResult => {
    const { json, meta } = superjson.serialize(input);
    if (meta?.referentialEqualities === undefined)
      return meta === undefined ? { json } : { json, meta };
    const { referentialEqualities, ...rest } = meta;
    if (holdsItself(referentialEqualities)) throw new TypeError("an input must not contain itself");
    return rest.values === undefined ? { json } : { json, meta: rest };
  },
  deserialize: (sent: unknown): unknown => {
    if (typeof sent !== "object" || sent === null || !("json" in sent)) {
      throw new TypeError("the answer is not superjson");
    }
    requireSafeMeta(sent satisfies SentSuperjson, (path, message) => {
      throw new TypeError(["the answer", ...path].map(String).join(".") + ` ${message}`);
    });
    return superjson.deserialize(sent as SuperJSONResult, { inPlace: true });
  },
};

type Equalities = NonNullable<NonNullable<SuperJSONResult["meta"]>["referentialEqualities"]>;

/** Whether one of the places of an object is within another: superjson has left it out there. */
function holdsItself(equalities: Equalities): boolean {
  // The places of the whole value are a list.
  if (Array.isArray(equalities)) return true;
  return Object.entries(equalities).some(([first, others]) => {
    const places = new Set([first, ...others]);
    return others.some((place) => {
      let end = place.length;
      while ((end = place.lastIndexOf(".", end - 1)) > 0) {
        if (places.has(place.slice(0, end))) return true;
      }
      return false;
    });
  });
}

/** The server of an RPC client, and its credential. */
export interface RpcOptions {
  /** URL of the server, as in `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly apiKey: ApiKey;
}

/** The client of the internal RPC. */
export type RpcClient = TRPCClient<RpcRouter>;

/**
 * Creates the typed client of the internal RPC: every procedure of the router, in batches, and its
 * subscriptions, which resume after the last event when their connection breaks.
 *
 * @example
 * const operator = createRpcClient({ url, apiKey: operatorKey });
 * const { workspace } = await operator.workspaces.create.mutate({ name: "Analytical Engines" });
 * const { secret } = await operator.apiKeys.create.mutate({
 *   wId: workspace.sId,
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
          transformer,
          EventSource,
          eventSourceOptions: { fetch: fetchEvents(options.apiKey) },
        }),
        false: httpBatchLink({
          url,
          transformer,
          headers: () => credentialFor(options.apiKey),
          fetch: async (input, init) =>
            refuseRedirect(await fetch(input, { ...init, redirect: "manual" } as RequestInit)),
          maxItems: 50,
        }),
      }),
    ],
  });
}

/**
 * Fetches a stream. A refusal, or an invalid key, becomes the event with which tRPC reports errors in
 * streams: an EventSource would drop the body of the response and never retry. A response that is not
 * the server's, as a proxy's error, fails like a broken connection and is retried.
 */
function fetchEvents(apiKey: ApiKey): FetchLike {
  return async (url, init) => {
    let credential: Record<string, string>;
    try {
      credential = await credentialFor(apiKey);
    } catch (error) {
      if (error instanceof ParleyError) return errorEvent(unauthorized(error));
      throw error;
    }
    const headers = { ...init.headers, ...credential };
    const response = refuseRedirect(await fetch(url, { ...init, headers, redirect: "manual" }));
    if (response.ok) return response;
    const answer: unknown = await response.json();
    if (typeof answer !== "object" || answer === null || !("error" in answer)) {
      throw new Error(`Not an answer of Parley (status ${response.status})`);
    }
    return errorEvent(answer.error);
  };
}

function errorEvent(error: unknown): Response {
  const event = `event: serialized-error\ndata: ${JSON.stringify(error)}\n\n`;
  return new Response(event, { headers: { "content-type": "text/event-stream" } });
}

/** An error in the server's format. */
function unauthorized({ type, message }: ParleyError): unknown {
  const data = { code: "UNAUTHORIZED", httpStatus: 401, type, message };
  return transformer.serialize({ message, code: -32_001, data });
}
