import { createParley, createRpcClient, type Parley, type RpcClient } from "parley-client";

/** Requests of a command that may be repeated are repeated this often. */
const MAX_RETRIES = 2;

/** The clients of a server. */
export interface Clients {
  readonly rpc: RpcClient;
  /** Makes the client of the public API, which sends its requests with `send`. */
  readonly openParley: (workspaceId: string, send?: typeof fetch) => Parley;
}

/** Makes the clients of a server; nothing is sent yet. */
export type Connect = (server: { readonly url: string; readonly apiKey: string }) => Clients;

/** The clients as users have them. */
export const connectClients: Connect = ({ url, apiKey }) => ({
  rpc: createRpcClient({ url, apiKey }),
  openParley: (workspaceId, send) =>
    createParley({ baseUrl: url, apiKey, workspaceId, maxRetries: MAX_RETRIES, fetch: send }),
});
