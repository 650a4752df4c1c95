import { implementations } from "@parley/core";
import { type Endpoint, endpoints, type HttpInput, type JsonEndpoint } from "@parley/schema";
import { type AnyProcedure, callTRPCProcedure, type TRPCBuiltRouter } from "@trpc/server";
import type { ProcedureContext } from "./procedure-context.ts";
import type { Procedures } from "./procedures.ts";
import {
  type AnyFind,
  type AnyImplementation,
  follow,
  operation,
  type RootTypes,
  router,
} from "./trpc.ts";

const implemented: Readonly<Record<string, unknown>> = implementations;

/** The procedures of all endpoints but those of bytes, as tRPC nests them: those of `agents.list` under `agents`. */
function nestProcedures(): Record<string, Record<string, AnyProcedure>> {
  const nested: Record<string, Record<string, AnyProcedure>> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    if (endpoint.kind !== "json" && endpoint.kind !== "stream") continue;
    const [group = "", own = ""] = name.split(".");
    // Core has checked the type of each implementation.
    const implementation = implemented[name] as AnyImplementation & AnyFind;
    (nested[group] ??= {})[own] =
      endpoint.kind === "json"
        ? operation(endpoint, implementation)
        : follow(endpoint, implementation);
  }
  return nested;
}

export type AppRouter = TRPCBuiltRouter<RootTypes, Procedures>;

/** The router of the RPC; its types follow from the endpoints. */
export const appRouter = router(nestProcedures()) as unknown as AppRouter;

/** Calls the procedure of an endpoint, as REST does. */
export function callProcedure(
  { name, method }: { name: string; method: JsonEndpoint["method"] },
  context: ProcedureContext,
  input: HttpInput,
): Promise<unknown> {
  return callTRPCProcedure({
    router: appRouter,
    path: name,
    type: method === "GET" ? "query" : "mutation",
    ctx: context,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  });
}
