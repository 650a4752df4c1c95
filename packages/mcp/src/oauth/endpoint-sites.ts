import { parseAllowedHosts } from "@parley/guarded-fetch";
import { parse } from "tldts";

/** Issuers whose endpoints are at another site of theirs. */
const knownPairs = ["accounts.google.com=oauth2.googleapis.com"];

/**
 * Whether an endpoint belongs to the issuer's owner: at its origin, over https at its registrable domain, or at a host
 * that a pair `issuer=host` of the operator names. Of addresses, and of names below no public suffix, nobody knows whose
 * they are: they have no registrable domain.
 */
export function isOfIssuer(issuer: URL, endpoint: URL, pairs: readonly string[]): boolean {
  if (endpoint.origin === issuer.origin) return true;
  const domain = registrableDomain(issuer);
  const isSibling = domain !== null && domain === registrableDomain(endpoint);
  if (isSibling && endpoint.protocol === "https:") return true;
  return [...knownPairs, ...pairs].some((pair) => {
    const [from = "", to = ""] = pair.split("=");
    return parseAllowedHosts([from])(issuer) && parseAllowedHosts([to])(endpoint);
  });
}

/** Whether a host has a name that the public DNS may know: no address, and no name below no public suffix. */
export function hasPublicName(url: URL): boolean {
  return registrableDomain(url) !== null;
}

/** Names that hosts rent out, such as github.io, are public suffixes too. */
function registrableDomain({ hostname }: URL): string | null {
  const { domain, isIcann, isPrivate } = parse(hostname, { allowPrivateDomains: true });
  return isIcann === true || isPrivate === true ? domain : null;
}
