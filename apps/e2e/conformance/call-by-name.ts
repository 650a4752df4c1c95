import { createRpcClient } from "parley-client";
import { type Endpoint, type EndpointName, endpoints, isAdministration } from "@parley/schema";
import type { Server } from "../server.ts";

/** The type of the error that a call ends with, over the typed RPC, by whoever may do most if no key is given. */
export async function callByName(
  server: Server,
  name: string,
  { input, key }: { input: object; key?: string | undefined },
): Promise<string> {
  const endpoint: Endpoint = endpoints[name as EndpointName];
  const { operatorKey, adminKey } = server.demo;
  const apiKey = key ?? (isAdministration(endpoint) ? operatorKey : adminKey);
  const client = createRpcClient({ url: server.url, apiKey });
  const [group = "", procedure = ""] = name.split(".");
  // The table names procedures that the compiler does not know one by one.
  const found = (client as unknown as Record<string, Record<string, Procedure>>)[group]?.[
    procedure
  ];
  const isQuery = endpoint.method === "GET";
  try {
    if (endpoint.kind === "stream") {
      await new Promise((resolve, onError) => {
        found?.subscribe(input, { onError, onComplete: () => resolve(undefined) });
      });
    } else await (isQuery ? found?.query(input) : found?.mutate(input));
    return "no error";
  } catch (error) {
    return (error as { data?: { type?: string } }).data?.type ?? String(error);
  }
}

interface Procedure {
  query(input: object): Promise<unknown>;
  mutate(input: object): Promise<unknown>;
  subscribe(input: object, observer: object): unknown;
}
