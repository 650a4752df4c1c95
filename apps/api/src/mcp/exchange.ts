import type { Context } from "@parley/core";
import { type ProcedureContext, requireAllowed } from "@parley/rpc";
import { endpoints, ParleyError } from "@parley/schema";
import type { ApiServices, Exchange } from "../services.ts";

/** The context of the procedures that tools call. */
export type McpContext = ProcedureContext & Context;

/** A request to the MCP server with its reply. */
export interface McpExchange extends Exchange {
  readonly services: ApiServices;
  readonly context: McpContext;
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
