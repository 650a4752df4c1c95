import type { Context } from "@parley/core";
import { callProcedure, type ProcedureContext, requireAllowed } from "@parley/rpc";
import { endpoints, HttpInput, type OutputOf, ParleyError } from "@parley/schema";
import type { ApiServices, Exchange } from "../services.ts";

/** The context of the procedures that tools call. */
export type McpContext = ProcedureContext & Context;

/** A request to the MCP server with its reply. */
export interface McpExchange extends Exchange {
  readonly services: ApiServices;
  readonly context: McpContext;
}

/** Endpoints of kind json that tools call. */
type CalledEndpoint =
  | "conversations.create"
  | "conversations.get"
  | "conversations.cancel"
  | "invocations.cancel"
  | "invocations.get"
  | "messages.create"
  | "sandboxFunctions.invoke"
  | "sandboxFunctions.list";

interface Parts {
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
}

/** Calls the procedure of an endpoint in the caller's workspace, as REST does. */
export async function callEndpoint<Name extends CalledEndpoint>(
  { context }: Pick<McpExchange, "context">,
  name: Name,
  { params = {}, query = {}, body }: Parts,
): Promise<OutputOf<(typeof endpoints)[Name]>> {
  const { method } = endpoints[name];
  const wId = context.caller.workspace.sid;
  const input = new HttpInput({ params: { wId, ...params }, query, body });
  // The procedure returns the output of its endpoint: there is no response cache.
  return (await callProcedure({ name, method }, context, input)) as OutputOf<
    (typeof endpoints)[Name]
  >;
}

/** The same exchange for what is done after its client has gone or its key is used up. */
export function detached({ context, ...exchange }: McpExchange): McpExchange {
  const { signal } = new AbortController();
  return {
    ...exchange,
    context: { ...context, signal, isWanted: undefined, idempotencyKey: undefined },
  };
}

/** Whether the client still waits for the response. */
export function isWanted({ context }: McpExchange): boolean {
  return context.isWanted?.() !== false;
}

/** Whether the role and the scopes of the caller allow an endpoint. */
export function isAllowed({ context }: McpExchange, name: keyof typeof endpoints): boolean {
  try {
    requireAllowed(endpoints[name], context.caller);
    return true;
  } catch (error) {
    if (error instanceof ParleyError && error.type === "app_auth_error") return false;
    throw error;
  }
}
