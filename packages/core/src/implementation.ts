import type {
  Endpoint,
  EndpointAuth,
  EndpointName,
  Endpoints,
  JsonEndpoint,
  MultipartEndpoint,
  OutputOf,
  ParsedInputOf,
  StreamEndpoint,
  UploadEndpoint,
} from "@parley/schema";
import type { LogStream } from "./log/log-stream.ts";

/**
 * The validity of a response: responses to one input are equal while both members are equal. `version`
 * changes with the data; callers with equal `access` see the same data.
 */
export interface AnswerState {
  readonly version: string;
  readonly access: string;
}

/** Creates something, once for each Idempotency-Key; `replay` repeats the response for what was created. */
export interface Keyed<C, I, O> {
  readonly make: (context: C, input: I) => Promise<O>;
  readonly replay: (context: C, input: I, createdId: string) => Promise<O>;
}

/** Reads what a transport may cache: it depends only on the input and on the state. */
export interface Cached<C, I, O> {
  readonly read: (context: C, input: I) => Promise<O>;
  readonly readState: (context: C) => Promise<AnswerState>;
}

/** `isKeyed` of an endpoint, as a type. */
type Unkeyed =
  | { readonly method: "GET" | "PUT" | "PATCH" | "DELETE" }
  | { readonly auth: EndpointAuth }
  | { readonly onlyReads: true };

type JsonImplementation<E extends JsonEndpoint, C> = E extends { readonly response: "cacheable" }
  ? Cached<C, ParsedInputOf<E>, OutputOf<E>>
  : E extends Unkeyed
    ? (context: C, input: ParsedInputOf<E>) => Promise<OutputOf<E>>
    : Keyed<C, ParsedInputOf<E>, OutputOf<E>>;

/** How an endpoint is implemented, in a context that its callers provide. */
export type Implementation<E extends Endpoint, C> = E extends JsonEndpoint
  ? JsonImplementation<E, C>
  : E extends StreamEndpoint
    ? (context: C, input: ParsedInputOf<E>) => Promise<LogStream>
    : E extends UploadEndpoint | MultipartEndpoint
      ? (context: C, input: ParsedInputOf<E>, bytes: never) => Promise<OutputOf<E>>
      : (context: C, input: ParsedInputOf<E>) => Promise<unknown>;

/** Endpoints with their implementations; `implementations.ts` checks what each needs of its context. */
export type Implementations = {
  readonly [N in EndpointName]?: Implementation<Endpoints[N], never>;
};
