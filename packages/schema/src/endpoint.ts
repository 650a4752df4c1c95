import type * as z from "zod";
import type { ErrorType } from "./error-table.ts";
import type { Role } from "./workspaces.ts";

/** Which limit a call counts against. */
export type RateLimitClass = "create" | "read" | "invoke" | "stream" | "operate";

interface EndpointBase {
  readonly summary: string;
  /** The least role that may call it. */
  readonly role: Role;
  readonly rateLimit: RateLimitClass;
  /** Errors beyond those every endpoint of its kind can answer with. */
  readonly errors: readonly ErrorType[];
  readonly tags: readonly string[];
}

interface HttpEndpoint extends EndpointBase {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path with `{name}` for parameters, each a key of `params`. */
  readonly path: string;
  readonly params: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly status: number;
  /** Whether it is one of the three operations of the specification. */
  readonly specified: boolean;
}

/** A request with a JSON answer: REST and RPC both reach the same procedure. */
export interface JsonEndpoint extends HttpEndpoint {
  readonly kind: "json";
  readonly output: z.ZodType;
  /** Whether who has its answer already is told so, by the answer's ETag. */
  readonly kept?: boolean;
}

/** A Server-Sent Events stream, behind a redirect from `/api/` to `/api/sse/`. */
export interface StreamEndpoint extends HttpEndpoint {
  readonly kind: "stream";
  readonly event: z.ZodType;
  /** Whether each event comes as `{eventId, data}`, or as it is. */
  readonly enveloped: boolean;
}

/** A multipart form with one file, in its field `file`, that is read as it comes. */
export interface UploadEndpoint extends HttpEndpoint {
  readonly kind: "upload";
  readonly output: z.ZodType;
}

/** A multipart form with fields, its `body`, and named files in the field `files`, read whole. */
export interface FormEndpoint extends HttpEndpoint {
  readonly kind: "form";
  readonly body: z.ZodObject;
  readonly output: z.ZodType;
  readonly maxFiles: number;
  /** Of all files together. */
  readonly maxBytes: number;
}

/** Bytes as they are stored, or a range of them. */
export interface BytesEndpoint extends HttpEndpoint {
  readonly kind: "bytes";
}

interface RpcEndpointBase extends EndpointBase {
  readonly kind: "rpc";
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
}

interface RpcQuery extends RpcEndpointBase {
  readonly operation: "query";
}

/** An administrative act: it leaves a record in the audit log. */
interface RpcMutation extends RpcEndpointBase {
  readonly operation: "mutation";
  /** Members of the input whose ids say what it is done to; none where it makes something. */
  readonly subject: readonly string[];
}

/** A procedure that only the typed RPC offers. */
export type RpcEndpoint = RpcQuery | RpcMutation;

export type Endpoint =
  | JsonEndpoint
  | StreamEndpoint
  | UploadEndpoint
  | FormEndpoint
  | BytesEndpoint
  | RpcEndpoint;

/** Whether calls of an endpoint are administrative acts. */
export function isAct(endpoint: Endpoint): endpoint is RpcMutation {
  return endpoint.kind === "rpc" && endpoint.operation === "mutation";
}

type Part<E, K extends string, Io extends "input" | "output"> = E extends {
  readonly [P in K]: infer S extends z.ZodType;
}
  ? Io extends "input"
    ? z.input<S>
    : z.output<S>
  : unknown;

type Parts<E, Io extends "input" | "output"> = Part<E, "query", Io> &
  Part<E, "body", Io> &
  Part<E, "params", Io> &
  Part<E, "input", Io>;

/** What a caller gives an endpoint: path, query and body in one flat object. */
export type InputOf<E extends Endpoint> = Parts<E, "input">;

/** What an endpoint's implementation gets: the parsed input. */
export type ParsedInputOf<E extends Endpoint> = Parts<E, "output">;

/** What an endpoint answers. */
export type OutputOf<E extends JsonEndpoint | UploadEndpoint | FormEndpoint | RpcEndpoint> =
  z.input<E["output"]>;

/** What an endpoint of kind stream tells its followers. */
export type EventOf<E extends StreamEndpoint> = z.output<E["event"]>;
