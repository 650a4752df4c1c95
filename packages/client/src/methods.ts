import type {
  DownloadEndpoint,
  EndpointName,
  Endpoints,
  MultipartEndpoint,
  JsonEndpoint,
  SentJson,
  SentValue,
  UploadEndpoint,
} from "@parley/schema";
import type * as z from "zod";
import type { parameterNames } from "./routes.ts";
import type { RouteName } from "./schema-tables.ts";

/** Flattens an intersection, so that editors show its members. */
type Flat<T> = { [K in keyof T]: T[K] };

type Names = typeof parameterNames;
type Ids<E> = E extends { readonly params: infer P extends z.ZodObject }
  ? {
      // An optional one is of the second path of an endpoint.
      [
        K in Exclude<keyof P["shape"], "wId"> as undefined extends z.input<P["shape"][K]>
          ? never
          : K extends keyof Names
            ? Names[K]
            : K
      ]: z.output<P["shape"][K]> extends number ? number : string;
    }
  : unknown;

// A query parameter is parsed from any text, so its type is that of the parsed value.
type Query<E> = E extends { readonly query: infer Q extends z.ZodType }
  ? { [K in keyof z.output<Q>]?: z.output<Q>[K] | undefined }
  : unknown;

type Body<E> = E extends { readonly body: infer B extends z.ZodType }
  ? { [K in keyof z.input<B>]: Json<z.input<B>[K]> }
  : unknown;

/** What REST takes of what the RPC does: times are numbers, and other values those of which JSON is made. */
type Json<T> = [Record<string, unknown>] extends [T]
  ? T
  : [SentValue] extends [T]
    ? SentJson
    : T extends Date
      ? never
      : [Record<string, SentValue>] extends [T]
        ? Readonly<Record<string, SentJson>>
        : T;

/** The input of a method: the ids of its path, and its query or body, in one flat object. */
export type Input<N extends EndpointName> = Flat<
  Ids<Endpoints[N]> & Query<Endpoints[N]> & Body<Endpoints[N]>
>;

/** The output of a method. */
export type Output<N extends EndpointName> = Endpoints[N] extends
  | JsonEndpoint
  | UploadEndpoint
  | MultipartEndpoint
  ? z.output<Endpoints[N]["output"]>
  : never;

/** The operations whose responses are bytes. */
export type DownloadName = {
  [N in RouteName]: Endpoints[N] extends DownloadEndpoint ? N : never;
}[RouteName];

/** Options of a call; each has a default. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, retries included: 60 s by default, longer if it waits. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed request may be retried; 4 by default. */
  readonly maxRetries?: number | undefined;
}

/** Options of a call that creates something. */
export interface PostOptions extends CallOptions {
  /** The request is executed once, however often it is sent with this key. A new key by default. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of an invocation. */
export interface InvokeOptions extends PostOptions {
  /** How long to wait for the outcome, or 0; 10 s by default. */
  readonly waitSeconds?: number | undefined;
}

type OptionsOf<N extends RouteName> = N extends "sandboxFunctions.invoke" | "tools.invoke"
  ? InvokeOptions
  : Endpoints[N] extends JsonEndpoint & { readonly method: "POST" }
    ? PostOptions
    : CallOptions;

type ArgumentsOf<N extends RouteName> =
  object extends Input<N>
    ? [input?: Input<N>, options?: OptionsOf<N>]
    : [input: Input<N>, options?: OptionsOf<N>];

/** The method of an endpoint: takes one flat object, and the options of the call. */
export interface Method<N extends RouteName> {
  // An interface keeps its name in editors and declarations.
  (...call: ArgumentsOf<N>): Promise<Output<N>>;
}
