import { callProcedure, type ProcedureContext } from "@parley/rpc";
import type { Context } from "@parley/core";
import {
  type EndpointName,
  endpoints,
  type Endpoints,
  HttpInput,
  type JsonEndpoint,
  type OutputOf,
} from "@parley/schema";

/** The names of the endpoints of kind json. */
export type JsonName = {
  [N in EndpointName]: Endpoints[N] extends JsonEndpoint ? N : never;
}[EndpointName];

/** The parts of a call, as of a request over REST; `wId` is the caller's workspace. */
export interface CallParts {
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
}

/** Calls the procedure of an endpoint in the caller's workspace, as REST does: with its checks, audit and errors. */
export async function callEndpoint<Name extends JsonName>(
  { context }: { readonly context: ProcedureContext & Context },
  name: Name,
  { params = {}, query = {}, body }: CallParts = {},
): Promise<OutputOf<Endpoints[Name]>> {
  const { method } = endpoints[name];
  const wId = context.caller.workspace.sid;
  const input = new HttpInput({ params: { wId, ...params }, query, body });
  // The procedure returns the output of its endpoint: there is no response cache.
  return (await callProcedure({ name, method }, context, input)) as OutputOf<Endpoints[Name]>;
}
