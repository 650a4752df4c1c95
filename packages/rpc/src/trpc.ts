import {
  type AuditedMutation,
  type AnswerState,
  type Caller,
  type Context,
  type LogStream,
  once,
  parseCursor,
  readLogEnd,
  type RequestContext,
  type SessionServices,
  startAfter,
  type WorkspaceCaller,
} from "@parley/core";
import {
  type Endpoint,
  type EventOf,
  findUnknownMembers,
  HttpInput,
  type InputOf,
  isAuditedMutation,
  type JsonEndpoint,
  type OutputOf,
  type ParsedInputOf,
  parseInput,
  type StreamEndpoint,
  type Warning,
  warnsOfUnknown,
} from "@parley/schema";
import { initTRPC, TRPCError, type TrackedEnvelope } from "@trpc/server";
import { chargeStorage } from "./charge-storage.ts";
import { openMutation, recordMutation } from "./audited-mutations.ts";
import { authorizeAdministration, authorizeCaller, authorizeWorkspace } from "./authorize.ts";
import { renderError, toParleyError, toTrpcError } from "./errors.ts";
import { askedAhead, followStream } from "./follow-stream.ts";
import type { ProcedureContext } from "./procedure-context.ts";
import { transformer } from "./transformer.ts";

/** How often a quiet subscription shows that it is alive; clients give up on it after three. */
const PING_MS = 15_000;

const t = initTRPC.context<ProcedureContext>().create({
  transformer,
  isDev: false,
  sse: {
    ping: { enabled: true, intervalMs: PING_MS },
    client: { reconnectAfterInactivityMs: 3 * PING_MS },
  },
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

export const { router } = t;

type Implementation<E extends JsonEndpoint> = (
  context: RequestContext<
    E extends { readonly administers: true } | { readonly concernsCaller: true }
      ? Caller
      : WorkspaceCaller
  > &
    SessionServices,
  input: ParsedInputOf<E>,
) => Promise<OutputOf<E>>;

/** The argument of a resolver, whose types omit the raw input. */
interface ProcedureCall {
  readonly ctx: ProcedureContext;
  readonly path: string;
  readonly getRawInput: () => Promise<unknown>;
}

type Answer<Parsed, Output> = (
  context: ProcedureContext,
  input: Parsed,
  called: { readonly name: string; readonly raw: unknown },
) => Promise<Output>;

/** The shared part of all procedures: the report of the call, the record of a mutation, the parsed input. */
function resolver<Parsed, Output>(
  endpoint: Endpoint,
  parse: (raw: unknown) => Parsed,
  answer: Answer<Parsed, Output>,
) {
  const run = async (
    { ctx, path: name, getRawInput }: ProcedureCall,
    audited?: AuditedMutation,
  ) => {
    const raw = await getRawInput();
    const input = parseOrRefuse(parse, raw);
    try {
      // Only audited mutations pay for a copy of the context.
      const context = audited === undefined ? ctx : { ...ctx, mutation: audited };
      return await answer(context, input, { name, raw });
    } catch (error) {
      throw toTrpcError(error);
    }
  };
  return async (options: object): Promise<Output> => {
    const called = options as ProcedureCall;
    const { ctx, path: name, getRawInput } = called;
    const startedAt = performance.now();
    let failure: unknown;
    try {
      if (!isAuditedMutation(endpoint)) return await run(called);
      // Input that cannot be read is refused by the parser.
      const input = await getRawInput().catch(() => undefined);
      const audited = openMutation(endpoint, { context: ctx, name, input });
      return await recordMutation(ctx, audited, () => run(called, audited));
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      ctx.onCall({ endpoint, durationMs: performance.now() - startedAt, error: failure });
    }
  };
}

function parseOrRefuse<Parsed>(parse: (raw: unknown) => Parsed, raw: unknown): Parsed {
  try {
    return parse(raw);
  } catch (cause) {
    throw new TRPCError({ code: "BAD_REQUEST", cause });
  }
}

/**
 * The builder of a procedure with an input, which its resolver parses: tRPC's parsers and middlewares copy
 * their arguments several times, which took a sixth of the time of a short response.
 */
function procedure<Input>() {
  const withInput = () =>
    t.procedure.input({
      // tRPC takes the types of a parser from these two.
      _input: undefined as unknown as Input,
      _output: undefined,
      parse: (raw: unknown) => raw,
    });
  return t.procedure as unknown as ReturnType<typeof withInput>;
}

/** The resolver of an endpoint: authorizes the caller and calls the implementation. */
function implement<E extends JsonEndpoint>(endpoint: E, implementation: Implementation<E>) {
  const warns = warnsOfUnknown(endpoint);
  const charging = chargeStorage(endpoint);
  return resolver<ParsedInputOf<E>, OutputOf<E>>(
    endpoint,
    (raw) => parseInput(endpoint, raw),
    async (context, input, { raw }) => {
      const authorized = authorize(endpoint, context, input);
      const output = charging(context, input, () => implementation(authorized, input));
      return warns ? warnOfUnknown(endpoint, raw, await output) : output;
    },
  );
}

function authorize<E extends JsonEndpoint>(
  endpoint: E,
  context: ProcedureContext,
  input: ParsedInputOf<E>,
): Parameters<Implementation<E>>[0] {
  // Only operations on no workspace have no parameter wId: an architecture test checks it.
  const { wId } = input as { wId?: string };
  // The conditional type of the context is not narrowed by the endpoint.
  const authorizeNamed =
    endpoint.administers === true ? authorizeAdministration : authorizeWorkspace;
  const authorizeIt = endpoint.concernsCaller === true ? authorizeCaller : authorizeNamed;
  return authorizeIt(endpoint, context, wId) as Parameters<Implementation<E>>[0];
}

type PostEndpoint = JsonEndpoint & { readonly method: "POST" };

/**
 * A procedure that creates something, once per Idempotency-Key. `replay` repeats the response for what was
 * created.
 */
export function post<E extends PostEndpoint>(
  endpoint: E,
  make: (context: Context, input: ParsedInputOf<E>) => Promise<OutputOf<E>>,
  replay: (context: Context, input: ParsedInputOf<E>, createdId: string) => Promise<OutputOf<E>>,
) {
  const charging = chargeStorage(endpoint);
  const implementation = (
    context: Context & ProcedureContext,
    input: ParsedInputOf<E>,
  ): Promise<OutputOf<E>> =>
    once(context, input, {
      // A replay stores nothing.
      make: (claiming) => charging(context, input, () => make(claiming, input)),
      replay: (createdId) => {
        // The first request has recorded it.
        if (context.mutation !== undefined) context.mutation.recorded = true;
        return replay(context, input, createdId);
      },
    });
  return procedure<InputOf<E>>().mutation(
    resolver<ParsedInputOf<E>, OutputOf<E>>(
      endpoint,
      (raw) => parseInput(endpoint, raw),
      async (context, input, { raw }) => {
        // Every endpoint of kind json has the parameter wId: an architecture test checks it.
        const { wId } = input as unknown as { wId: string };
        const output = await implementation(authorizeWorkspace(endpoint, context, wId), input);
        return warnsOfUnknown(endpoint) ? warnOfUnknown(endpoint, raw, output) : output;
      },
    ),
  );
}

/** Adds a warning to the response for each unknown member of the body. */
function warnOfUnknown<Output>(endpoint: JsonEndpoint, raw: unknown, output: Output): Output {
  // The RPC refuses them.
  const unknown = raw instanceof HttpInput ? findUnknownMembers(endpoint, raw.body) : [];
  if (unknown.length === 0) return output;
  const { warnings = [] } = output as { warnings?: readonly Warning[] };
  return { ...output, warnings: [...warnings, ...unknown] };
}

/** A procedure that changes something. */
export function mutation<E extends JsonEndpoint>(endpoint: E, implementation: Implementation<E>) {
  return procedure<InputOf<E>>().mutation(implement(endpoint, implementation));
}

/** A procedure that changes nothing. */
export function query<E extends JsonEndpoint>(endpoint: E, implementation: Implementation<E>) {
  return procedure<InputOf<E>>().query(implement(endpoint, implementation));
}

type CacheableEndpoint = JsonEndpoint & { readonly method: "GET"; readonly cacheable: true };

/**
 * A query whose responses a transport may cache: they depend only on the input and on the state that
 * `readState` reads.
 */
export function cachedQuery<E extends CacheableEndpoint>(
  endpoint: E,
  implementation: (context: Context, input: ParsedInputOf<E>) => Promise<OutputOf<E>>,
  readState: (context: Context) => Promise<AnswerState>,
) {
  const answer = (context: Context & ProcedureContext, input: ParsedInputOf<E>) => {
    const compute = () => implementation(context, input);
    if (context.responseCache === undefined) return compute();
    const key = `${endpoint.path} ${context.caller.workspace.id} ${JSON.stringify(input)}`;
    return context.responseCache.respond({ key, readState: () => readState(context), compute });
  };
  // A transport with a cache sends the cached response in place of the output.
  return procedure<InputOf<E>>().query(implement(endpoint, answer as Implementation<E>));
}

/** The position of a subscriber, which tRPC sets when a client reconnects. */
export interface Resumable {
  /** Number of the last event that the subscriber has. */
  readonly lastEventId?: string | null | undefined;
}

/** A procedure that follows a log from after `lastEventId` to its end. */
export function subscription<E extends StreamEndpoint>(
  endpoint: E,
  find: (context: Context, input: ParsedInputOf<E>) => Promise<LogStream>,
) {
  const parse = (raw: unknown) => {
    const input = parseInput(endpoint, raw);
    const { lastEventId } = raw as { lastEventId?: unknown };
    return { input, cursor: parseCursor(lastEventId ?? "") };
  };
  return procedure<InputOf<E> & Resumable>().subscription(
    resolver<ReturnType<typeof parse>, AsyncIterable<TrackedEnvelope<EventOf<E>>>>(
      endpoint,
      parse,
      async (given, { input, cursor }, { name }) => {
        // Every endpoint of kind stream has the parameter wId: an architecture test checks it.
        const { wId } = input as unknown as { wId: string };
        const context = authorizeWorkspace(endpoint, given, wId);
        const stream = await find(context, input);
        const end = await readLogEnd(context.database.db, stream.logId);
        const after = startAfter(cursor, end, stream);
        const { space } = stream;
        const opened = context.openStream({ name, isResumed: cursor > 0, space });
        return askedAhead(followStream(context, stream, { after, ...opened }));
      },
    ),
  );
}
