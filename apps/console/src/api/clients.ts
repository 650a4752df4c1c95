import {
  type ApiKey,
  createParley,
  createRpcClient,
  pageSession,
  type Parley,
  type RpcClient,
} from "parley-client";

/** The credential of every client: none of its own, since the browser sends the session's cookie. */
const credential: ApiKey = pageSession;

/** What every page calls: the public API of one workspace, and the typed RPC. */
export interface Clients {
  readonly workspaceId: string;
  readonly parley: Parley;
  readonly rpc: RpcClient;
}

let onSessionOver = (): void => {};

/** Sets what happens when the server no longer knows the session. */
export function whenSessionOver(listener: () => void): void {
  onSessionOver = listener;
}

const watchedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 401) onSessionOver();
  return response;
};

/** The RPC of this page's server. */
export const rpc: RpcClient = createRpcClient({ url: location.origin, apiKey: credential });

const known = new Map<string, Clients>();

/** The clients of a workspace, the same ones each time. */
export function clientsOf(workspaceId: string): Clients {
  let clients = known.get(workspaceId);
  if (clients === undefined) {
    const parley = createParley({
      baseUrl: location.origin,
      workspaceId,
      apiKey: credential,
      fetch: watchedFetch,
    });
    clients = { workspaceId, parley, rpc };
    known.set(workspaceId, clients);
  }
  return clients;
}
