import { isIP } from "node:net";
import { isPublicAddress } from "./addresses.ts";
import { FetchFault } from "./fetch-fault.ts";

/** Says of a URL's host whether the operator allows it to be private, and to be called over plain http. */
export type IsAllowedHost = (url: URL) => boolean;

/**
 * Reads the operator's hosts: `host` allows every port of it, `host:port` one. IPv6 is written in
 * brackets. Throws an `Error` that names an entry that is neither.
 */
export function parseAllowedHosts(entries: readonly string[]): IsAllowedHost {
  const allowed = new Set(entries.map(parseEntry));
  return (url) => {
    const host = bareHost(url);
    return allowed.has(host) || allowed.has(`${host}:${url.port || defaultPorts[url.protocol]}`);
  };
}

/** Whether a text is what `parseAllowedHosts` reads as one entry. */
export function isHost(entry: string): boolean {
  const url = URL.parse(`http://${entry}`);
  return url !== null && url.host !== "" && !/[/?#@\s\\]/.test(entry);
}

const defaultPorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function parseEntry(entry: string): string {
  const port = /:(\d+)$/.exec(entry)?.[1];
  const url = URL.parse(`http://${entry}`);
  if (url === null || !isHost(entry)) {
    throw new Error(`Not a host, such as tools.internal or 127.0.0.1:4000: ${entry}`);
  }
  return port === undefined ? bareHost(url) : `${bareHost(url)}:${Number(port)}`;
}

/** The host without its port, and without the dot that may end a name. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}

/**
 * Parses a URL that may be requested: https, or http of an allowed host; no user or password; no address
 * that is not public, however it is spelled. Throws a `FetchFault` otherwise.
 */
export function requireAllowedUrl(
  input: string | URL,
  isAllowedHost: IsAllowedHost,
  base?: URL,
): URL {
  const url = URL.parse(String(input), base?.href);
  if (url === null) throw new FetchFault("refused_address", "Not a URL");
  if (url.username !== "" || url.password !== "") {
    throw new FetchFault("refused_address", "A URL must not contain a user or a password");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new FetchFault("refused_address", "A URL must begin with https://");
  }
  if (isAllowedHost(url)) return url;
  if (url.protocol === "http:") {
    throw new FetchFault("refused_address", `${url.host} may only be called over https`);
  }
  // The parser has written IPv4 addresses of every spelling as four decimals.
  const literal = bareHost(url).replace(/^\[(.*)\]$/, "$1");
  const isRefused = isIP(literal) === 0 ? isLocalName(literal) : !isPublicAddress(literal);
  if (isRefused) throw refusedAddress(url.hostname);
  return url;
}

/** Names that resolvers answer themselves, RFC 6761. */
function isLocalName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

/** The refusal of a host that is not on the public internet. */
export function refusedAddress(host: string): FetchFault {
  return new FetchFault("refused_address", `${host} is not on the public internet`);
}
