import { type Caller, type Core, type Credentials, findReachedSpaces } from "@parley/core";
import { requireRole } from "@parley/rpc";
import { type EndpointName, endpoints, ParleyError } from "@parley/schema";
import type { OpenStream } from "./open-stream.ts";

/**
 * Finds the open streams that would now be refused, each with its refusal, by credential, role and
 * space. (A stream whose log was deleted is ended by the log.) The cost does not grow with the number
 * of streams: each key is looked up once, and a statement looks up a thousand spaces.
 */
export async function findRefusedStreams(
  { core, credentials }: { core: Core; credentials: Credentials },
  ofKeys: Iterable<ReadonlySet<OpenStream>>,
): Promise<Map<OpenStream, ParleyError>> {
  const refused = new Map<OpenStream, ParleyError>();
  const inSpaces = new Map<string, { keyId: number; spaceId: number; streams: OpenStream[] }>();
  const check = async ([...streams]: Iterable<OpenStream>): Promise<void> => {
    const [first] = streams;
    if (first === undefined) return;
    const caller = await credentials.authenticate(first.authorization).catch(toRefusal);
    if (caller === undefined) return;
    const ofEndpoints = new Map<string, ParleyError | undefined>();
    for (const stream of streams) {
      const { name, space } = stream;
      const refusal =
        caller instanceof ParleyError
          ? caller
          : ofEndpoints.getOrInsertComputed(name, () => refusalOf(name, caller));
      if (refusal !== undefined) refused.set(stream, refusal);
      else if (space !== undefined && !(caller instanceof ParleyError)) {
        const pair = { keyId: caller.apiKey.id, spaceId: space.id, streams: [] };
        const key = `${pair.keyId}/${pair.spaceId}`;
        inSpaces.getOrInsertComputed(key, () => pair).streams.push(stream);
      }
    }
  };
  await Promise.all([...ofKeys].map(check));
  if (inSpaces.size === 0) return refused;
  const pairs = [...inSpaces.values()];
  // While the database cannot be reached, every space counts as reached.
  const isReached = await findReachedSpaces(core, pairs).catch(() => () => true);
  for (const { streams, ...pair } of pairs) {
    if (isReached(pair)) continue;
    for (const stream of streams) if (stream.space) refused.set(stream, stream.space.lost());
  }
  return refused;
}

/** An error as a refusal; errors of the server itself are none. */
function toRefusal(error: unknown): ParleyError | undefined {
  return error instanceof ParleyError && error.status < 500 ? error : undefined;
}

/** Why the endpoint would refuse the caller's role, if it would. */
function refusalOf(name: string, caller: Caller): ParleyError | undefined {
  const endpoint = endpoints[name as EndpointName];
  try {
    requireRole(endpoint, caller);
    return undefined;
  } catch (error) {
    return toRefusal(error);
  }
}
