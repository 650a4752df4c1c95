import type {
  EndpointName,
  Endpoints,
  EventOf,
  InputOf,
  JsonEndpoint,
  OutputOf,
  StreamEndpoint,
} from "@parley/schema";
import type {
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from "@trpc/server";

type ProcedureEndpoint = JsonEndpoint | StreamEndpoint;

interface Resumable {
  /** Id of the last event that the subscriber has. */
  readonly lastEventId?: string | null | undefined;
}

type ProcedureOf<E> = E extends StreamEndpoint
  ? TRPCSubscriptionProcedure<{
      meta: object;
      input: InputOf<E> & Resumable;
      output: AsyncIterable<{ id: string; data: EventOf<E> }>;
    }>
  : E extends JsonEndpoint
    ? E extends { readonly method: "GET" }
      ? TRPCQueryProcedure<{ meta: object; input: InputOf<E>; output: OutputOf<E> }>
      : TRPCMutationProcedure<{ meta: object; input: InputOf<E>; output: OutputOf<E> }>
    : never;

type ProcedureName = {
  [N in EndpointName]: Endpoints[N] extends ProcedureEndpoint ? N : never;
}[EndpointName];
type GroupOf<N extends string> = N extends `${infer G}.${string}` ? G : never;

/** Every procedure by its group. Clients import this type, so it names nothing of the server. */
export type Procedures = {
  [G in GroupOf<ProcedureName>]: {
    [N in ProcedureName as N extends `${G}.${infer Name}` ? Name : never]: ProcedureOf<
      Endpoints[N]
    >;
  };
};
