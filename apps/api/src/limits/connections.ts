import type { Server } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { ApiSettings } from "../config.ts";
import { clientIpGroup } from "./client-ip-group.ts";
import { createTally } from "./tally.ts";

/** How long a connection may be idle between two requests while the process is at most half full. */
const KEEP_ALIVE_MS = 72_000;
/** The same once it is full. */
const FULL_KEEP_ALIVE_MS = 5000;

/**
 * Bounds the open connections of the process, and those of each client IP. Trusted proxies have no
 * bound of their own, because they carry many clients. The fuller the process, the sooner idle
 * connections are closed. Returns the server.
 */
export function boundConnections(
  server: Server,
  settings: Pick<
    ApiSettings,
    "PARLEY_MAX_CONNECTIONS" | "PARLEY_MAX_CONNECTIONS_PER_ADDRESS" | "PARLEY_TRUSTED_PROXIES"
  >,
): Server {
  const ofProcess = settings.PARLEY_MAX_CONNECTIONS;
  const perClientIp = settings.PARLEY_MAX_CONNECTIONS_PER_ADDRESS ?? Math.ceil(ofProcess / 2);
  const isProxy = createProxyTest(settings.PARLEY_TRUSTED_PROXIES);
  const ofClientIps = createTally();
  let open = 0;
  const count = (change: number): void => {
    open += change;
    server.keepAliveTimeout = keepAliveMs(open / ofProcess);
  };
  server.maxConnections = ofProcess;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("connection", (socket) => {
    const { remoteAddress } = socket;
    const group = clientIpGroup(remoteAddress);
    if (ofClientIps.of(group) >= perClientIp && !isProxy(remoteAddress)) {
      socket.destroy();
      return;
    }
    ofClientIps.add(group);
    count(1);
    socket.once("close", () => {
      ofClientIps.remove(group);
      count(-1);
    });
  });
  return server;
}

/** How long a connection may be idle, by how full the process is. */
function keepAliveMs(fullness: number): number {
  const room = Math.min(1, Math.max(0, 2 * (1 - fullness)));
  return Math.round(FULL_KEEP_ALIVE_MS + room * (KEEP_ALIVE_MS - FULL_KEEP_ALIVE_MS));
}

function createProxyTest(ranges: readonly string[]): (ip: string | undefined) => boolean {
  const proxies = new BlockList();
  for (const range of ranges) {
    const [network = "", bits] = range.split("/");
    if (bits === undefined) proxies.addAddress(network, familyOf(network));
    else proxies.addSubnet(network, Number(bits), familyOf(network));
  }
  return (ip = "") => proxies.check(ip, familyOf(ip));
}

function familyOf(ip: string): "ipv4" | "ipv6" {
  return isIPv6(ip) ? "ipv6" : "ipv4";
}
