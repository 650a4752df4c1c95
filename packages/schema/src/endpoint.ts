import type * as z from "zod";
import type { ErrorType } from "./errors/error-table.ts";
import type { Role, TokenScope } from "./roles.ts";

/** Rate limit that a call counts against. */
export type RateLimitClass = "create" | "read" | "invoke" | "stream" | "operate";

/**
 * Who may call an endpoint. Without one, it is keys and tokens of the workspace in its path.
 * - `administration`: operators too, in any workspace. Unknown members are refused over REST too.
 * - `self`: every valid credential, of whatever workspace, role and scopes, because it is about itself.
 * - `self-or-code`: the same, and codes for signing in, which are not credentials elsewhere.
 */
export type EndpointAuth = "administration" | "self" | "self-or-code";

/**
 * How an endpoint answers. Without one, it is with JSON.
 * - `cacheable`: the response is cached and has an ETag.
 * - `json-or-event`: clients that accept nothing but Server-Sent Events get one.
 */
export type EndpointResponse = "cacheable" | "json-or-event";

interface EndpointBase {
  readonly summary: string;
  /** The lowest role that may call it. */
  readonly role: Role;
  /** The scope that a user token needs; null if no user token may call it. */
  readonly scope: TokenScope | null;
  readonly rateLimit: RateLimitClass;
  /** Errors besides those of every endpoint of its kind. */
  readonly errors: readonly ErrorType[];
  readonly tags: readonly string[];
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
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
export interface JsonEndpoint extends EndpointBase {
  readonly kind: "json";
  readonly output: z.ZodType;
  readonly auth?: EndpointAuth;
  readonly response?: EndpointResponse;
  /** A second path of the operation, whose own parameters are optional in `params`. */
  readonly alsoAt?: string;
  /** Whether it changes nothing although it is a POST: it takes no Idempotency-Key. */
  readonly onlyReads?: boolean;
  /** Only of audited mutations: members of the input with the ids of the subject. */
  readonly subject?: readonly string[];
  /** Whether it stores nothing, or little: a workspace that is full may still call it. */
  readonly storesLittle?: boolean;
}

/** Another protocol in which a stream can be had over REST, with `?format=`. */
export type StreamFormat = "ag-ui" | "ai-sdk";

/** A Server-Sent Events stream, after a redirect from `/api/` to `/api/sse/`. */
export interface StreamEndpoint extends EndpointBase {
  readonly kind: "stream";
  readonly event: z.ZodType;
  /** Whether each event is sent as `{eventId, data}`. */
  readonly enveloped: boolean;
  /** What else it can be had as; by default nothing. */
  readonly formats?: readonly StreamFormat[];
}

/** A streamed upload: multipart, with one file in its field `file`. */
export interface UploadEndpoint extends EndpointBase {
  readonly kind: "upload";
  readonly output: z.ZodType;
}

/** A multipart request with fields, its `body`, and files in the field `files`; buffered in memory. */
export interface MultipartEndpoint extends EndpointBase {
  readonly kind: "multipart";
  readonly body: z.ZodObject;
  readonly output: z.ZodType;
  readonly maxFiles: number;
  /** Total size of its files. */
  readonly maxBytes: number;
}

/** A download: stored bytes, or a range of them; the response of a POST is made while it is read. */
export interface DownloadEndpoint extends EndpointBase {
  readonly kind: "download";
}

/** An operation in the words of another protocol: a codec over those above, which it calls as its caller. */
export interface DoorEndpoint extends EndpointBase {
  readonly kind: "door";
  /** JSON that it answers with, if it does. */
  readonly output?: z.ZodType;
  /** The JSON of its events, if it streams. */
  readonly event?: z.ZodType;
  /** A second path: without parameters, because the workspace is the key's. */
  readonly alsoAt?: string;
  /** Whether it changes nothing although it is a POST: it takes no Idempotency-Key. */
  readonly onlyReads?: boolean;
  /** Whether it reads a log by offsets: its headers say where the response ends, and there may be nothing new. */
  readonly readsLog?: boolean;
  /** Whether it answers 204 if nothing runs. */
  readonly mayBeIdle?: boolean;
  /** Whose words its errors are in; the server's own by default. */
  readonly errorsOf?: "openai";
}

/** An operation of the server. */
export type Endpoint =
  | DoorEndpoint
  | JsonEndpoint
  | StreamEndpoint
  | UploadEndpoint
  | MultipartEndpoint
  | DownloadEndpoint;

/** The paths of an endpoint: most have one. */
export function pathsOf({ path, alsoAt }: JsonEndpoint | DoorEndpoint): string[] {
  return alsoAt === undefined ? [path] : [path, alsoAt];
}

/** Whether an endpoint is administration. */
export function isAdministration(endpoint: Endpoint): boolean {
  return endpoint.kind === "json" && endpoint.auth === "administration";
}

/** Whether an endpoint is about the credential that calls it. */
export function isAboutCaller(endpoint: Endpoint): boolean {
  return endpoint.kind === "json" && (endpoint.auth === "self" || endpoint.auth === "self-or-code");
}

/** Whether requests of an endpoint may have an Idempotency-Key. */
export function isKeyed(endpoint: JsonEndpoint | DoorEndpoint): boolean {
  const { kind, method, onlyReads = false } = endpoint;
  return method === "POST" && !onlyReads && (kind === "door" || endpoint.auth === undefined);
}

/** Whether what a request of an endpoint sends is stored, and is refused in a workspace that is full. */
export function growsStorage(endpoint: Endpoint): boolean {
  const { kind, method } = endpoint;
  if (kind === "multipart") return true;
  if (kind !== "json" || method === "GET" || method === "DELETE") return false;
  const { role, onlyReads = false, storesLittle = false } = endpoint;
  return role !== "operator" && !isAboutCaller(endpoint) && !onlyReads && !storesLittle;
}

/** An endpoint whose calls are audited mutations: it names their subject. */
type AuditedEndpoint = JsonEndpoint & Required<Pick<JsonEndpoint, "subject">>;

/** Whether calls of an endpoint are audited mutations. */
export function isAuditedMutation(endpoint: Endpoint): endpoint is AuditedEndpoint {
  return "subject" in endpoint;
}

/** A schema without members is typed as one that may have any. */
type Members<T> = string extends keyof T ? unknown : T;

type Part<E, K extends string, Io extends "input" | "output"> = E extends {
  readonly [P in K]: infer S extends z.ZodType;
}
  ? Io extends "input"
    ? Members<z.input<S>>
    : Members<z.output<S>>
  : unknown;

type AllParts<E, Io extends "input" | "output"> = Part<E, "query", Io> &
  Part<E, "body", Io> &
  Part<E, "params", Io>;

/** The parts of an input together; without any member, an object without members. */
type Parts<E, Io extends "input" | "output"> =
  unknown extends AllParts<E, Io> ? object : AllParts<E, Io>;

/** Input of an endpoint as callers write it: path, query and body in one flat object. */
export type InputOf<E extends Endpoint> = Parts<E, "input">;

/** Input of an endpoint as its implementation gets it: parsed. */
export type ParsedInputOf<E extends Endpoint> = Parts<E, "output">;

/** Output of an endpoint. */
export type OutputOf<E extends JsonEndpoint | UploadEndpoint | MultipartEndpoint> = z.input<
  E["output"]
>;

/** Event of an endpoint of kind stream. */
export type EventOf<E extends StreamEndpoint> = z.output<E["event"]>;

/** Errors of every endpoint. */
export const commonErrors: readonly ErrorType[] = [
  "invalid_request_error",
  "not_authenticated",
  "malformed_authorization_header_error",
  "invalid_api_key_error",
  "workspace_auth_error",
  "workspace_suspended",
  "app_auth_error",
  "request_timeout",
  "rate_limit_error",
  "internal_server_error",
];

/** Every error type of an endpoint: those of its row, and those of its kind. */
export function errorTypesOf(endpoint: Endpoint): Set<ErrorType> {
  const types = new Set([...commonErrors, ...endpoint.errors]);
  // Clients retry a stream only on 408 and 429.
  if (endpoint.kind !== "stream") types.add("service_unavailable");
  const hasBody = endpoint.kind !== "upload" && endpoint.kind !== "multipart";
  if (hasBody && endpoint.method !== "GET") types.add("content_too_large");
  const isDoor = endpoint.kind === "door";
  const takesKeys = (endpoint.kind === "json" || isDoor) && isKeyed(endpoint);
  if (growsStorage(endpoint) || (isDoor && takesKeys)) types.add("budget_exceeded");
  if (takesKeys) {
    types.add("idempotency_key_mismatch").add("idempotency_key_in_use");
  }
  return types;
}
