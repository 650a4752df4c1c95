import {
  type ApiKey,
  createParley,
  createRpcClient,
  type Parley,
  type RpcRouter,
} from "parley-client";
import { createTRPCRecursiveProxy } from "@trpc/server";
import { createTRPCOptionsProxy, type TRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { endSessionHere, queryClient } from "./query-client.ts";
import { currentPlace } from "./signed-in.ts";

/** The credential of every client: none of its own, since the browser sends the session's cookie. */
const credential: ApiKey = { session: currentPlace };

/** The typed RPC of this page's server. */
export const rpc = createRpcClient({ url: location.origin, apiKey: credential });

type Options = TRPCOptionsProxy<RpcRouter>;
type Call = (...given: readonly unknown[]) => unknown;

const options = createTRPCOptionsProxy<RpcRouter>({ client: rpc, queryClient });

/**
 * Keys, functions and filters of TanStack Query for each procedure, as in `trpc.members.list.queryOptions({ wId })`. A
 * read that nothing on the page needs any more is aborted, which tRPC does only if it is told to.
 */
export const trpc = createTRPCRecursiveProxy<Options>(({ path, args: [first, second] }) => {
  const call = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], options);
  if (path.at(-1) !== "queryOptions") return (call as Call)(first, second);
  return (call as Call)(first, { ...(second as object), trpc: { abortOnUnmount: true } });
});

const watchedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 401) endSessionHere();
  return response;
};

const known = new Map<string, Parley>();

/** The public client of a workspace, the same one each time. */
export function parleyOf(workspaceId: string): Parley {
  let parley = known.get(workspaceId);
  if (parley === undefined) {
    parley = createParley({
      baseUrl: location.origin,
      workspaceId,
      apiKey: credential,
      fetch: watchedFetch,
    });
    known.set(workspaceId, parley);
  }
  return parley;
}
