import type { AppRouter } from "@parley/rpc";
import { createTRPCClient, httpBatchLink, type TRPCClient } from "@trpc/client";
import superjson from "superjson";

export interface RpcOptions {
  /** Address of the server, as in `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly apiKey: string;
}

/** Makes the typed client of the internal RPC: every procedure of the router, in batches. */
export function createRpcClient({ url, apiKey }: RpcOptions): TRPCClient<AppRouter> {
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${url.replace(/\/+$/, "")}/rpc`,
        transformer: superjson,
        headers: { authorization: `Bearer ${apiKey}` },
        maxItems: 50,
      }),
    ],
  });
}
