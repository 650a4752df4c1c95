import type {
  EndpointName,
  Endpoints,
  ErrorBody,
  EventOf,
  InputOf,
  JsonEndpoint,
  OutputOf,
  StreamEndpoint,
} from "@parley/schema";
import type {
  TRPCBuiltRouter,
  TRPCDefaultErrorShape,
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

/** Every procedure, by feature, as the endpoint table describes it. */
type Procedures = {
  [G in GroupOf<ProcedureName>]: {
    [N in ProcedureName as N extends `${G}.${infer Name}` ? Name : never]: ProcedureOf<
      Endpoints[N]
    >;
  };
};

/** The router of the internal RPC as a type without the server's own types, such as the database's. */
export type RpcRouter = TRPCBuiltRouter<
  {
    ctx: object;
    meta: object;
    errorShape: Omit<TRPCDefaultErrorShape, "data"> & {
      data: Pick<TRPCDefaultErrorShape["data"], "code" | "httpStatus"> & {
        path?: string | undefined;
      } & ErrorBody["error"];
    };
    transformer: true;
  },
  Procedures
>;
