import type { FunctionStatus, SandboxFunction } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "./find-one.ts";
import type { Named } from "./one-commands.ts";

export const functions = { many: "functions", one: "function", open: connect };

/** Reads the functions in a state, for builders; without one those that can be invoked. Throws `CommandError`. */
export const readFunctions = (
  { parley, rpc, wId }: ServerConnection,
  status?: FunctionStatus,
): AsyncGenerator<SandboxFunction> =>
  status === undefined
    ? readPages(
        async (place) => parley.functions.list(place),
        ({ sandboxFunctions }) => sandboxFunctions,
      )
    : readPages(
        async (place) => rpc.sandboxFunctions.listAll.query({ wId, status, ...place }),
        ({ sandboxFunctions }) => sandboxFunctions,
      );

/** Finds the function in a state with an id or a slug. Throws `CommandError`. */
export const findFunction =
  (status?: FunctionStatus) =>
  async (
    connection: ServerConnection,
    reference: string,
  ): Promise<Named & { readonly version: number }> => {
    const found = await findOne(readFunctions(connection, status), reference, {
      ...functions,
      idOf: (one) => one.sId,
      nameOf: (one) => one.slug,
    });
    return { id: found.sId, name: found.slug, version: found.version };
  };
