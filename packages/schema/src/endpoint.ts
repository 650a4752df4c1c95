import type * as z from "zod";
import type { ErrorType } from "./errors/error-table.ts";
import type { Role, TokenScope } from "./roles.ts";

/** Rate limit that a call counts against. */
export type RateLimitClass = "create" | "read" | "invoke" | "stream" | "operate";

interface EndpointBase {
  readonly summary: string;
  /** The lowest role that may call it. */
  readonly role: Role;
  /** The scope that a user token needs; null where no user token may call it. */
  readonly scope: TokenScope | null;
  readonly rateLimit: RateLimitClass;
  /** Errors besides those of every endpoint of its kind. */
  readonly errors: readonly ErrorType[];
  readonly tags: readonly string[];
}

interface HttpEndpointBase extends EndpointBase {
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

/** A request with a JSON response: REST and RPC call the same procedure. */
export interface JsonEndpoint extends HttpEndpointBase {
  readonly kind: "json";
  readonly output: z.ZodType;
  /** Whether its response is cached and has an ETag. */
  readonly cacheable?: boolean;
  /** Only of audited mutations: members of the input with the ids of the subject. */
  readonly subject?: readonly string[];
  /** Whether its response may be so long that it is serialized in pieces. */
  readonly long?: boolean;
}

/** A Server-Sent Events stream, after a redirect from `/api/` to `/api/sse/`. */
export interface StreamEndpoint extends HttpEndpointBase {
  readonly kind: "stream";
  readonly event: z.ZodType;
  /** Whether each event is sent as `{eventId, data}`. */
  readonly enveloped: boolean;
}

/** A streamed upload: multipart, with one file in its field `file`. */
export interface UploadEndpoint extends HttpEndpointBase {
  readonly kind: "upload";
  readonly output: z.ZodType;
}

/** A multipart request with fields, its `body`, and files in the field `files`; buffered in memory. */
export interface MultipartEndpoint extends HttpEndpointBase {
  readonly kind: "multipart";
  readonly body: z.ZodObject;
  readonly output: z.ZodType;
  readonly maxFiles: number;
  /** Total size of its files. */
  readonly maxBytes: number;
}

/** A download: stored bytes, or a range of them. */
export interface DownloadEndpoint extends HttpEndpointBase {
  readonly kind: "download";
}

interface RpcEndpointBase extends EndpointBase {
  readonly kind: "rpc";
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
}

interface RpcQuery extends RpcEndpointBase {
  readonly operation: "query";
}

/** An audited mutation: it leaves a record in the audit log. */
interface RpcMutation extends RpcEndpointBase {
  readonly operation: "mutation";
  /** Members of the input with the ids of its subject; none where it creates the subject. */
  readonly subject: readonly string[];
}

/** A procedure that only the typed RPC offers. */
export type RpcEndpoint = RpcQuery | RpcMutation;

/** An endpoint of the public API. */
export type HttpEndpoint =
  | JsonEndpoint
  | StreamEndpoint
  | UploadEndpoint
  | MultipartEndpoint
  | DownloadEndpoint;

export type Endpoint = HttpEndpoint | RpcEndpoint;

/** An endpoint whose calls are audited mutations: it names their subject. */
type AuditedEndpoint = RpcMutation | (JsonEndpoint & Required<Pick<JsonEndpoint, "subject">>);

/** Whether calls of an endpoint are audited mutations. */
export function isAuditedMutation(endpoint: Endpoint): endpoint is AuditedEndpoint {
  return "subject" in endpoint;
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

/** Input of an endpoint as callers write it: path, query and body in one flat object. */
export type InputOf<E extends Endpoint> = Parts<E, "input">;

/** Input of an endpoint as its implementation gets it: parsed. */
export type ParsedInputOf<E extends Endpoint> = Parts<E, "output">;

/** Output of an endpoint. */
export type OutputOf<E extends JsonEndpoint | UploadEndpoint | MultipartEndpoint | RpcEndpoint> =
  z.input<E["output"]>;

/** Event of an endpoint of kind stream. */
export type EventOf<E extends StreamEndpoint> = z.output<E["event"]>;
