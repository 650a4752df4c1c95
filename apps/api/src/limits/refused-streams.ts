import {
  type Caller,
  type CallerAndSpace,
  type Core,
  type Credentials,
  findReachedSpaces,
  seesAllOfWorkspace,
} from "@parley/core";
import { requireAllowed } from "@parley/rpc";
import { type EndpointName, endpoints, ParleyError } from "@parley/schema";
import type { OpenStream } from "./open-stream.ts";

/**
 * Finds the open streams that would now be refused, by credential, role, scope and space, each with its
 * refusal; without one if its key sees less than before, so that it has to be opened again. (A stream
 * whose log was deleted is ended by the log.) Each set holds the streams of one credential, which is looked
 * up once, and a statement looks up a thousand spaces.
 */
export async function findRefusedStreams(
  { core, credentials }: { core: Core; credentials: Credentials },
  ofCredentials: Iterable<ReadonlySet<OpenStream>>,
): Promise<Map<OpenStream, ParleyError | undefined>> {
  const refused = new Map<OpenStream, ParleyError | undefined>();
  const inSpaces: (CallerAndSpace & { readonly streams: OpenStream[] })[] = [];
  const check = async ([...streams]: Iterable<OpenStream>): Promise<void> => {
    const [first] = streams;
    if (first === undefined) return;
    const caller = await credentials.authenticate(first.authorization).catch(toRefusal);
    if (caller === undefined) return;
    if (caller instanceof ParleyError || caller.kind === "operator") {
      // Operators follow nothing.
      const refusal = caller instanceof ParleyError ? caller : undefined;
      for (const stream of streams) refused.set(stream, refusal);
      return;
    }
    const seesAll = seesAllOfWorkspace(caller);
    for (const [name, ofEndpoint] of Map.groupBy(streams, (stream) => stream.name)) {
      const refusal = refusalOf(name, caller);
      for (const stream of ofEndpoint) {
        if (refusal !== undefined || (stream.seesAll && !seesAll)) refused.set(stream, refusal);
      }
    }
    const left = streams.filter((stream) => !refused.has(stream));
    for (const [spaceId, inSpace] of Map.groupBy(left, ({ space }) => space?.id)) {
      if (spaceId !== undefined) inSpaces.push({ caller, spaceId, streams: inSpace });
    }
  };
  await Promise.all([...ofCredentials].map(check));
  if (inSpaces.length === 0) return refused;
  // While the database cannot be reached, every space counts as reached.
  const isReached = await findReachedSpaces(core, inSpaces).catch(() => () => true);
  for (const pair of inSpaces) {
    if (isReached(pair)) continue;
    for (const stream of pair.streams) if (stream.space) refused.set(stream, stream.space.lost());
  }
  return refused;
}

/** An error as a refusal; errors of the server itself are none. */
function toRefusal(error: unknown): ParleyError | undefined {
  return error instanceof ParleyError && error.status < 500 ? error : undefined;
}

/** Why the endpoint would refuse the caller, if it would. */
function refusalOf(name: string, caller: Caller): ParleyError | undefined {
  const endpoint = endpoints[name as EndpointName];
  try {
    requireAllowed(endpoint, caller);
    return undefined;
  } catch (error) {
    return toRefusal(error);
  }
}
