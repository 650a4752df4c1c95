import {
  type AuditedMutation,
  type Cached,
  type Context,
  type Keyed,
  type LogStream,
  once,
  parseCursor,
  readLogEnd,
  refuseTasks,
  reservingStorage,
  startAfter,
} from "@parley/core";
import {
  type Endpoint,
  findUnknownMembers,
  growsStorage,
  HttpInput,
  isAboutCaller,
  isAdministration,
  isAuditedMutation,
  type JsonEndpoint,
  parseInput,
  type StreamEndpoint,
  type Warning,
  warnsOfUnknown,
} from "@parley/schema";
import { initTRPC, TRPCError } from "@trpc/server";
import { openMutation, recordMutation } from "./audited-mutations.ts";
import { authorizeAdministration, authorizeCaller, authorizeWorkspace } from "./authorize.ts";
import { renderError, toParleyError, toTrpcError } from "./errors.ts";
import { askedAhead, followStream } from "./follow-stream.ts";
import type { ProcedureContext } from "./procedure-context.ts";
import { transformer } from "./transformer.ts";

/** What a small request stores beside its body: rows, events and their places in indexes. */
const ROWS_BYTES = 1024;

type Charging = <Result>(
  context: ProcedureContext,
  input: unknown,
  store: () => Promise<Result>,
) => Promise<Result>;

/**
 * Returns how requests of an endpoint are charged for what they store: with their body, and the text of a
 * message once more for its event, which stand for it until the workspace is counted. Throws `budget_exceeded` if it is
 * full. Operators are never refused.
 */
function chargeStorage(endpoint: Endpoint): Charging {
  if (!growsStorage(endpoint)) return (_context, _input, store) => store();
  return (context, input, store) => {
    const { caller, storage, bodyBytes = 0 } = context;
    if (caller.kind === "operator") return store();
    const bytes = bodyBytes + sizeOfEvent(input) + ROWS_BYTES;
    return reservingStorage({ caller, storage }, bytes, store);
  };
}

/** Bytes of the text that the event of a message contains; 0 for what is not a message, such as a fragment. */
function sizeOfEvent(input: unknown): number {
  // Parsed inputs are objects.
  const { message = input } = input as { message?: unknown };
  const { content, mentions } = (message ?? {}) as { content?: unknown; mentions?: unknown };
  return typeof content === "string" && Array.isArray(mentions) ? Buffer.byteLength(content) : 0;
}

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

/** Types of the router beside those of its procedures. */
export type RootTypes = (typeof t)["_config"]["$types"];

/** The argument of a resolver, whose types omit the raw input. */
interface ProcedureCall {
  readonly ctx: ProcedureContext;
  readonly path: string;
  readonly getRawInput: () => Promise<unknown>;
}

/** Answers a call whose input is parsed. */
type Answer<Parsed> = (
  context: ProcedureContext,
  input: Parsed,
  called: { readonly name: string; readonly raw: unknown },
) => Promise<unknown>;

/** The shared part of all procedures: the report of the call, the record of a mutation, the parsed input. */
function resolver<Parsed>(
  endpoint: Endpoint,
  parse: (raw: unknown) => Parsed,
  answer: Answer<Parsed>,
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
  // The types of tRPC omit the raw input. Its own parsers and middlewares copy their arguments several times, which
  // took a sixth of the time of a short response.
  return async (options: object): Promise<unknown> => {
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

/** Authorizes the caller of an endpoint. Throws like the check that the endpoint asks for. */
function authorize(endpoint: JsonEndpoint, context: ProcedureContext, wId: string | undefined) {
  if (isAboutCaller(endpoint)) return authorizeCaller(endpoint, context);
  const check = isAdministration(endpoint) ? authorizeAdministration : authorizeWorkspace;
  return check(endpoint, context, wId);
}

type Call = (context: ProcedureContext, input: object) => Promise<unknown>;
type AnyKeyed = Keyed<ProcedureContext, object, unknown>;
type AnyCached = Cached<ProcedureContext, object, unknown>;

/** The implementation of some endpoint, which core has checked against its types. */
export type AnyImplementation = Call | AnyKeyed | AnyCached;
export type AnyFind = (context: ProcedureContext, input: object) => Promise<LogStream>;

/** The call of an endpoint's implementation, with its storage charged. */
function callOf(endpoint: JsonEndpoint, implementation: AnyImplementation): Call {
  const charging = chargeStorage(endpoint);
  if ("read" in implementation) return cached(endpoint, implementation);
  if (!("make" in implementation)) {
    return (context, input) => charging(context, input, () => implementation(context, input));
  }
  const { make, replay } = implementation;
  return (context, input) =>
    once(context as Context & ProcedureContext, input, {
      // A replay stores nothing.
      make: (claiming) => charging(context, input, () => make(claiming, input)),
      replay: (createdId) => {
        // The first request has recorded it.
        if (context.mutation !== undefined) context.mutation.recorded = true;
        return replay(context, input, createdId);
      },
    });
}

/** A transport with a cache sends the cached response in place of the output. */
function cached(endpoint: JsonEndpoint, { read, readState }: AnyCached): Call {
  return (context, input) => {
    const { caller, responseCache } = context as Context & ProcedureContext;
    const compute = () => read(context, input);
    if (responseCache === undefined) return compute();
    const key = `${endpoint.path} ${caller.workspace.id} ${JSON.stringify(input)}`;
    return responseCache.respond({ key, readState: () => readState(context), compute });
  };
}

/** The procedure of an endpoint with a JSON response: a query if it is a GET. */
export function operation(endpoint: JsonEndpoint, implementation: AnyImplementation) {
  const warns = warnsOfUnknown(endpoint);
  const call = callOf(endpoint, implementation);
  const resolve = resolver<object>(
    endpoint,
    (raw) => parseInput(endpoint, raw),
    async (context, input, { raw }) => {
      // Only operations on no workspace have no parameter wId: an architecture test checks it.
      const { wId } = input as { wId?: string };
      const output = await call(authorize(endpoint, context, wId), input);
      return warns ? warnOfUnknown(endpoint, raw, output as object) : output;
    },
  );
  return endpoint.method === "GET" ? t.procedure.query(resolve) : t.procedure.mutation(resolve);
}

/** Adds a warning to the response for each unknown member of the body. */
function warnOfUnknown(endpoint: JsonEndpoint, raw: unknown, output: object): object {
  // The RPC refuses them.
  const unknown = raw instanceof HttpInput ? findUnknownMembers(endpoint, raw.body) : [];
  if (unknown.length === 0) return output;
  const { warnings = [] } = output as { warnings?: readonly Warning[] };
  return { ...output, warnings: [...warnings, ...unknown] };
}

/** The procedure that follows a log from after `lastEventId`, which tRPC sets when a client reconnects, to its end. */
export function follow(endpoint: StreamEndpoint, find: AnyFind) {
  const parse = (raw: unknown) => {
    const input: object = parseInput(endpoint, raw);
    const { lastEventId } = raw as { lastEventId?: unknown };
    return { input, cursor: parseCursor(lastEventId ?? "") };
  };
  const resolve = resolver(endpoint, parse, async (given, { input, cursor }, { name }) => {
    // Every endpoint of kind stream has the parameter wId: an architecture test checks it.
    const { wId } = input as { wId: string };
    const context = authorizeWorkspace(endpoint, given, wId);
    const stream = await find(context, input);
    refuseTasks(stream);
    const end = await readLogEnd(context.database.db, stream.logId);
    const after = startAfter(cursor, end, stream);
    const { space } = stream;
    const opened = context.openStream({ name, isResumed: cursor > 0, space });
    return askedAhead(followStream(context, stream, { after, ...opened }));
  });
  return t.procedure.subscription(resolve as () => Promise<AsyncIterable<unknown>>);
}
