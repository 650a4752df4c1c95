import type { Caller, RequestContext, WorkspaceCaller } from "@parley/core";
import {
  type Endpoint,
  type InputOf,
  isAct,
  type JsonEndpoint,
  type OutputOf,
  type ParsedInputOf,
  parseInput,
  type RpcEndpoint,
} from "@parley/schema";
import { initTRPC } from "@trpc/server";
import { closeAct, openAct, type RequestOrigin } from "./acts.ts";
import { authorizeAdministration, authorizeWorkspace } from "./authorize.ts";
import { renderError, toParleyError, toTrpcError } from "./errors.ts";
import { transformer } from "./transformer.ts";

/** What a transport gives to a procedure. */
export interface ProcedureContext extends RequestContext, RequestOrigin {
  /** Called once for each procedure with what it came to. */
  readonly onCall: (call: Call) => void;
}

export interface Call {
  readonly endpoint: Endpoint;
  readonly durationMs: number;
  readonly error: unknown;
}

const t = initTRPC.context<ProcedureContext>().create({
  transformer,
  isDev: false,
  errorFormatter: ({ shape, error, ctx }) => {
    const known = toParleyError(error);
    const { code, httpStatus, path } = shape.data;
    return {
      message: known.message,
      code: shape.code,
      data: { code, httpStatus, path, ...renderError(known, ctx?.requestId).error },
    };
  },
});

export const { router, createCallerFactory } = t;

type ProcedureEndpoint = JsonEndpoint | RpcEndpoint;

type Implementation<E extends ProcedureEndpoint> = (
  context: RequestContext<E extends JsonEndpoint ? WorkspaceCaller : Caller>,
  input: ParsedInputOf<E>,
) => Promise<OutputOf<E>>;

/** What reads and writes share: one report of the call, the record of an act, the parsed input. */
function procedure<E extends ProcedureEndpoint>(endpoint: E) {
  const parser = {
    // tRPC takes the types of a parser from these two, which are never read.
    _input: undefined as unknown as InputOf<E>,
    _output: undefined as unknown as ParsedInputOf<E>,
    parse: (raw: unknown): ParsedInputOf<E> => parseInput(endpoint, raw),
  };
  return t.procedure
    .use(async ({ ctx, next }) => {
      const startedAt = performance.now();
      const result = await next();
      const durationMs = performance.now() - startedAt;
      ctx.onCall({ endpoint, durationMs, error: result.ok ? undefined : result.error });
      return result;
    })
    .use(async ({ ctx, path, getRawInput, next }) => {
      // Input that cannot be read is refused by the parser.
      const input = isAct(endpoint) ? await getRawInput().catch(() => undefined) : undefined;
      const act = openAct(endpoint, { context: ctx, name: path, input });
      const result = await next({ ctx: { act } });
      if (act !== undefined) await closeAct(ctx, act, result.ok ? undefined : result.error);
      return result;
    })
    .input(parser);
}

function resolver<E extends ProcedureEndpoint>(endpoint: E, implementation: Implementation<E>) {
  return async (options: { ctx: ProcedureContext; input: unknown }): Promise<OutputOf<E>> => {
    try {
      const input = options.input as ParsedInputOf<E>;
      return await implementation(authorize(endpoint, options.ctx, input), input);
    } catch (error) {
      throw toTrpcError(error);
    }
  };
}

function authorize<E extends ProcedureEndpoint>(
  endpoint: E,
  context: ProcedureContext,
  input: ParsedInputOf<E>,
): Parameters<Implementation<E>>[0] {
  if (endpoint.kind === "json") {
    // Every endpoint of kind json has the parameter wId: a house test checks it.
    return authorizeWorkspace(endpoint, context, (input as { wId: string }).wId);
  }
  const { workspaceId } = input as { workspaceId?: string };
  // The conditional type of the context is not narrowed by the kind.
  return authorizeAdministration(endpoint, context, workspaceId) as Parameters<
    Implementation<E>
  >[0];
}

/** A procedure that changes something. */
export function mutation<E extends ProcedureEndpoint>(
  endpoint: E,
  implementation: Implementation<E>,
) {
  return procedure(endpoint).mutation(resolver(endpoint, implementation));
}

/** A procedure that changes nothing. */
export function query<E extends ProcedureEndpoint>(endpoint: E, implementation: Implementation<E>) {
  return procedure(endpoint).query(resolver(endpoint, implementation));
}
