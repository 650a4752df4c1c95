import ipaddr from "ipaddr.js";

/** Services of clouds that answer only from inside, on an address of the public range. */
const insiders: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** The range of IPv6 that is routed: everything else is special, or not assigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address is one of the public internet. Loopback, private, link-local, unique-local, shared,
 * multicast, broadcast, reserved and unspecified ones are not, nor those that hide one of them.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes("%")) return false;
  const address = ipaddr.parse(text);
  return address.kind() === "ipv4"
    ? isPublicIPv4(address as ipaddr.IPv4)
    : isPublicIPv6(address as ipaddr.IPv6);
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !insiders.has(address.toString());
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  const hidden = hiddenIPv4(address);
  if (hidden !== undefined) return isPublicIPv4(hidden);
  // 6to4 and Teredo are tunnels into any network, and have been given up.
  return address.range() === "unicast" && address.match(globalUnicast);
}

const mapped = ipaddr.IPv6.parseCIDR("::ffff:0:0/96");
/** The addresses that a translator of an IPv6-only network (DNS64) gives to those of IPv4. */
const translated = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

function hiddenIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (!address.match(mapped) && !address.match(translated)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}
