import type { Procedures } from "@parley/rpc/procedures";
import type { ErrorBody } from "@parley/schema";
import type { TRPCBuiltRouter, TRPCDefaultErrorShape } from "@trpc/server";

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
