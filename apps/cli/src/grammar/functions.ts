import type { FunctionStatus } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { readListed } from "./endpoint-calls.ts";
import { nounOf } from "./noun.ts";

export const functions = nounOf("sandboxFunctions.list", {
  many: "functions",
  one: "function",
  open: connect,
  nameOf: ({ slug }) => slug,
  // Those that can be invoked.
  read: ({ parley }: ServerConnection) =>
    readPages(
      async (place) => parley.functions.list(place),
      ({ sandboxFunctions }) => sandboxFunctions,
    ),
  versionOf: async (_connection, { item }) => item?.version,
});

/** Reads the functions in a state, for builders; without one those that can be invoked. Throws `CommandError`. */
export const readFunctions = (connection: ServerConnection, status?: FunctionStatus) =>
  status === undefined
    ? functions.read(connection)
    : readListed(connection, "sandboxFunctions.listAll", { status });
