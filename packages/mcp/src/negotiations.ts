import { createHash } from "node:crypto";
import type { Client, PriorDiscovery } from "@modelcontextprotocol/client";
import { LRUCache } from "lru-cache";
import type { McpServer } from "./contract.ts";

/** What was negotiated with a server. */
export interface Negotiation {
  readonly prior: PriorDiscovery;
  /** Where redirects have led to. */
  readonly endpoint: URL;
}

/** What calls need not negotiate again, for a while. */
export interface Negotiations {
  get(server: McpServer): Negotiation | undefined;
  /** Remembers what a connected client has negotiated: a server that failed has negotiated nothing. */
  remember(server: McpServer, client: Client, endpoint: URL): void;
  forget(server: McpServer): void;
}

const MAX_SERVERS = 1000;
/** A server that learns a newer protocol is found out after this. */
const KEPT_MS = 600_000;

/** Keeps what was negotiated in memory, by URL and headers: what a server offers may depend on who asks. */
export function createNegotiations(): Negotiations {
  const known = new LRUCache<string, Negotiation>({ max: MAX_SERVERS, ttl: KEPT_MS });
  return {
    get: (server) => known.get(keyOf(server)),
    remember: (server, client, endpoint) => {
      const prior = priorOf(client);
      if (prior !== undefined) known.set(keyOf(server), { prior, endpoint });
    },
    forget: (server) => void known.delete(keyOf(server)),
  };
}

function keyOf({ url, headers }: McpServer): string {
  return createHash("sha256")
    .update(JSON.stringify([url, headers]))
    .digest("base64");
}

/** What a client has negotiated, without what a server says at length. */
function priorOf(client: Client): PriorDiscovery | undefined {
  if (client.getProtocolEra() === "legacy") return { kind: "legacy" };
  const [version, discovered] = [client.getNegotiatedProtocolVersion(), client.getDiscoverResult()];
  if (version === undefined || discovered === undefined) return undefined;
  const { tools } = discovered.capabilities;
  const { instructions: _, _meta, ...rest } = discovered;
  return {
    kind: "modern",
    discover: {
      ...rest,
      supportedVersions: [version],
      capabilities: { ...(tools && { tools: {} }) },
    },
  };
}
