import { type LookupAddress, promises as dns } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "./addresses.ts";
import { refusedAddress } from "./allowed-urls.ts";
import { FetchFault } from "./fetch-fault.ts";

/** Resolves a name to its addresses; rejects if it has none. */
export type ResolveHost = (name: string, isAllowed: boolean) => Promise<readonly LookupAddress[]>;

const MAX_ADDRESSES = 16;

/**
 * Resolves with DNS. Names that the operator allows are resolved as the system does, with its own file of
 * hosts; a stranger's are not, since the system's resolver keeps one of four threads of the process.
 */
export const resolveHost: ResolveHost = async (name, isAllowed) => {
  if (isAllowed) return dns.lookup(name, { all: true });
  const resolver = new dns.Resolver({ timeout: 3000, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length === 0 && four.status === "rejected") throw four.reason;
  return addresses;
};

/**
 * Makes a lookup for connections that resolves each name once, and refuses a name if any of its addresses
 * is not public, unless the operator allows the host: what was checked is what is connected to, even if the
 * name changes its mind.
 */
export function pinnedLookup(resolve: ResolveHost, isAllowed: boolean): LookupFunction {
  const known = new Map<string, Promise<readonly LookupAddress[]>>();
  const resolveOnce = (name: string) => {
    const pinned = known.get(name) ?? resolveChecked(name, isAllowed, resolve);
    known.set(name, pinned);
    return pinned;
  };
  const lookUp = async (...[name, options, callback]: Parameters<LookupFunction>) => {
    let addresses: readonly LookupAddress[];
    try {
      addresses = await resolveOnce(name);
    } catch (error) {
      callback(error as Error, "");
      return;
    }
    const family = options.family === 4 || options.family === 6 ? options.family : undefined;
    const fitting = addresses.filter((one) => family === undefined || one.family === family);
    const first = fitting[0];
    if (first === undefined) callback(noAddress(name), "");
    else if (options.all === true) callback(null, fitting);
    else callback(null, first.address, first.family);
  };
  return (...asked) => void lookUp(...asked);
}

const noAddress = (name: string, cause?: unknown): FetchFault =>
  new FetchFault("unreachable", `${name} has no address`, { cause });

async function resolveChecked(name: string, isAllowed: boolean, resolve: ResolveHost) {
  const addresses = await resolve(name, isAllowed).catch((cause: unknown) => {
    throw noAddress(name, cause);
  });
  if (!isAllowed && addresses.some(({ address }) => !isPublicAddress(address))) {
    throw refusedAddress(name);
  }
  return addresses.slice(0, MAX_ADDRESSES);
}
