import ipaddr from "ipaddr.js";

/** The IP addresses that count as one client: an IPv4 address, or the /64 of an IPv6 address. */
export function clientIpGroup(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return "unknown";
  // IPv4-mapped IPv6 addresses are IPv4.
  const parsed = ipaddr.process(ip);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, 4);
  return network.map((part) => part.toString(16)).join(":");
}
