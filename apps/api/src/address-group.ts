import ipaddr from "ipaddr.js";

/**
 * The addresses that count as one client: an IPv4 address by itself, an IPv6 address with the rest
 * of its /64, of which whoever has one has all.
 */
export function addressGroup(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return "unknown";
  // IPv4 addresses that come as IPv6 are IPv4.
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}
