import type {
  EndpointName,
  Endpoints,
  FormEndpoint,
  JsonEndpoint,
  UploadEndpoint,
} from "@parley/schema";
import type * as z from "zod";
import type { parameterNames, RouteName } from "./routes.ts";

/** Shows the members of a type in an editor, instead of how it was put together. */
type Flat<T> = { [K in keyof T]: T[K] };

type Names = typeof parameterNames;
type Ids<E> = E extends { readonly params: infer P extends z.ZodObject }
  ? {
      [K in Exclude<keyof P["shape"], "wId"> as K extends keyof Names ? Names[K] : K]: string;
    }
  : unknown;

// What a query parameter is read from is any text; what it is read as is what a caller means.
type Query<E> = E extends { readonly query: infer Q extends z.ZodType }
  ? { [K in keyof z.output<Q>]?: z.output<Q>[K] | undefined }
  : unknown;

type Body<E> = E extends { readonly body: infer B extends z.ZodType } ? z.input<B> : unknown;

/** What a method takes: the ids of its path, and its query or body, in one flat object. */
export type Input<N extends EndpointName> = Flat<
  Ids<Endpoints[N]> & Query<Endpoints[N]> & Body<Endpoints[N]>
>;

/** What a method answers. */
export type Output<N extends EndpointName> = Endpoints[N] extends
  | JsonEndpoint
  | UploadEndpoint
  | FormEndpoint
  ? z.output<Endpoints[N]["output"]>
  : never;

/** How one call is made; each member has a default. */
export interface CallOptions {
  /** Gives the call up; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, with all that is tried again: 60 s, longer where it waits. */
  readonly timeoutMs?: number | undefined;
  /** How often a request that failed may be sent again; 4 by default. */
  readonly maxRetries?: number | undefined;
}

/** How a call is made that makes something. */
export interface PostOptions extends CallOptions {
  /** Names the request, so that it is done once however often it is sent. A new one by default. */
  readonly idempotencyKey?: string | undefined;
}

/** How a function is invoked. */
export interface InvokeOptions extends PostOptions {
  /** How long to wait for the outcome, 0 for not at all; 10 s by default. */
  readonly waitSeconds?: number | undefined;
}

type OptionsOf<N extends RouteName> = N extends "sandboxFunctions.invoke"
  ? InvokeOptions
  : Endpoints[N] extends JsonEndpoint & { readonly method: "POST" }
    ? PostOptions
    : CallOptions;

/** The method of an endpoint: takes one flat object, and how the call is made. */
export type Method<N extends RouteName> =
  object extends Input<N>
    ? (input?: Input<N>, options?: OptionsOf<N>) => Promise<Output<N>>
    : (input: Input<N>, options?: OptionsOf<N>) => Promise<Output<N>>;
