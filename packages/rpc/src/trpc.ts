import {
  type Caller,
  type Context,
  type LogStream,
  once,
  parseCursor,
  readLogEnd,
  type RequestContext,
  startBehind,
  type StateReader,
  type WorkspaceCaller,
} from "@parley/core";
import {
  type Endpoint,
  type EventOf,
  type InputOf,
  isAct,
  type JsonEndpoint,
  type OutputOf,
  type ParsedInputOf,
  parseInput,
  type RpcEndpoint,
  type StreamEndpoint,
} from "@parley/schema";
import { initTRPC, type TrackedEnvelope } from "@trpc/server";
import { closeAct, openAct, type RequestOrigin } from "./acts.ts";
import { authorizeAdministration, authorizeWorkspace } from "./authorize.ts";
import { renderError, toParleyError, toTrpcError } from "./errors.ts";
import { askedAhead, followStream } from "./follow-stream.ts";
import { transformer } from "./transformer.ts";

/** How often a quiet subscription shows that it is alive; clients give up on it after three. */
const PING_MS = 15_000;

/** What a transport gives to a procedure. */
export interface ProcedureContext extends RequestContext, RequestOrigin {
  /** Called once for each procedure with what it came to. */
  readonly onCall: (call: Call) => void;
  /** Takes a place among the open streams until the answer is sent. Throws `rate_limit_error`. */
  readonly openStream: (stream: NewSubscription) => OpenSubscription;
  /** Answers a question whose answers may be kept; without it, each is answered anew. */
  readonly answerKept: ((question: KeptQuestion) => Promise<unknown>) | undefined;
}

/** A stream that a subscriber is about to be sent. */
export interface NewSubscription {
  /** The endpoint's name in the table. */
  readonly name: string;
  readonly isResumed: boolean;
}

/** A subscriber's place among the open streams. */
export interface OpenSubscription {
  /** Ends the stream, with the refusal as its reason where the key is refused. */
  readonly signal: AbortSignal;
  /** Called for each event that is sent. */
  readonly onEvent: () => void;
}

/** A valid input of a caller that may ask it. Inputs of one `key` are the same. */
export interface KeptQuestion {
  readonly key: string;
  /** What an answer that is computed from then on is made of. It keeps nothing of the request. */
  readonly state: StateReader;
  readonly compute: () => Promise<unknown>;
}

export interface Call {
  readonly endpoint: Endpoint;
  readonly durationMs: number;
  readonly error: unknown;
}

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

export const { router, createCallerFactory } = t;

type ProcedureEndpoint = JsonEndpoint | RpcEndpoint;

type Implementation<E extends ProcedureEndpoint> = (
  context: RequestContext<E extends JsonEndpoint ? WorkspaceCaller : Caller>,
  input: ParsedInputOf<E>,
) => Promise<OutputOf<E>>;

/** What all procedures share: one report of the call, the record of an act, the parsed input. */
function procedure<Input, Parsed>(endpoint: Endpoint, parse: (raw: unknown) => Parsed) {
  const parser = {
    // tRPC takes the types of a parser from these two, which are never read.
    _input: undefined as unknown as Input,
    _output: undefined as unknown as Parsed,
    parse,
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
      // A context that is added to is copied: only acts pay for it.
      if (act === undefined) return next();
      const result = await next({ ctx: { act } });
      await closeAct(ctx, act, result.ok ? undefined : result.error);
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

function call<E extends ProcedureEndpoint>(endpoint: E) {
  return procedure<InputOf<E>, ParsedInputOf<E>>(endpoint, (raw) => parseInput(endpoint, raw));
}

type PostEndpoint = JsonEndpoint & { readonly method: "POST" };

/**
 * A procedure that makes something: once for an Idempotency-Key. `replay` answers again with what
 * was made, by its id.
 */
export function post<E extends PostEndpoint>(
  endpoint: E,
  make: (context: Context, input: ParsedInputOf<E>) => Promise<OutputOf<E>>,
  replay: (context: Context, input: ParsedInputOf<E>, made: string) => Promise<OutputOf<E>>,
) {
  const implementation = (context: Context, input: ParsedInputOf<E>) =>
    once(context, input, {
      make: (claiming) => make(claiming, input),
      replay: (made) => replay(context, input, made),
    });
  // The conditional type of the context is not narrowed by the kind.
  return call(endpoint).mutation(resolver(endpoint, implementation as Implementation<E>));
}

type ChangeEndpoint = RpcEndpoint | (JsonEndpoint & { readonly method: "PATCH" | "DELETE" });

/** A procedure that changes something. */
export function mutation<E extends ChangeEndpoint>(endpoint: E, implementation: Implementation<E>) {
  return call(endpoint).mutation(resolver(endpoint, implementation));
}

/** A procedure that changes nothing. */
export function query<E extends ProcedureEndpoint>(endpoint: E, implementation: Implementation<E>) {
  return call(endpoint).query(resolver(endpoint, implementation));
}

type KeptEndpoint = JsonEndpoint & { readonly method: "GET"; readonly kept: true };

/**
 * A query whose answers a transport may keep: they depend on nothing but the input and on what the
 * reader tells of the caller.
 */
export function keptQuery<E extends KeptEndpoint>(
  endpoint: E,
  implementation: (context: Context, input: ParsedInputOf<E>) => Promise<OutputOf<E>>,
  createReader: (context: Context) => StateReader,
) {
  const answer = (context: Context & ProcedureContext, input: ParsedInputOf<E>) => {
    const compute = () => implementation(context, input);
    if (context.answerKept === undefined) return compute();
    const key = `${endpoint.path} ${context.caller.workspace.id} ${JSON.stringify(input)}`;
    return context.answerKept({ key, state: createReader(context), compute });
  };
  // The context of a procedure is the transport's, and a transport that keeps answers sends them.
  return call(endpoint).query(resolver(endpoint, answer as Implementation<E>));
}

/** What a subscription takes beside its endpoint's input; tRPC sets it when a client reconnects. */
export interface Resumable {
  /** Number of the last event that the subscriber has. */
  readonly lastEventId?: string | null | undefined;
}

/** A procedure that follows a log from behind `lastEventId` to its end. */
export function subscription<E extends StreamEndpoint>(
  endpoint: E,
  find: (context: Context, input: ParsedInputOf<E>) => Promise<LogStream>,
) {
  const parse = (raw: unknown) => {
    const input = parseInput(endpoint, raw);
    const { lastEventId } = raw as { lastEventId?: unknown };
    return { input, cursor: parseCursor(lastEventId ?? "") };
  };
  type Parsed = ReturnType<typeof parse>;
  return procedure<InputOf<E> & Resumable, Parsed>(endpoint, parse).subscription(
    async (options): Promise<AsyncIterable<TrackedEnvelope<EventOf<E>>>> => {
      try {
        const { input, cursor } = options.input;
        // Every endpoint of kind stream has the parameter wId: a house test checks it.
        const { wId } = input as unknown as { wId: string };
        const context = authorizeWorkspace(endpoint, options.ctx, wId);
        const stream = await find(context, input);
        const end = await readLogEnd(context.database.db, stream.logId);
        const after = startBehind(cursor, end, stream);
        const { path: name } = options;
        const opened = context.openStream({ name, isResumed: cursor > 0 });
        return askedAhead(followStream(context, stream, { after, ...opened }));
      } catch (error) {
        throw toTrpcError(error);
      }
    },
  );
}
