import { CommandError } from "@parley/command/command-error";
import { group } from "@parley/command/group";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import { connect, connectAsOperator, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { callEndpoint, inputOf, type ItemOf, readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { type Named, nounOf } from "../grammar/noun.ts";
import { actionCommand } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import { model as modelOption } from "./read-model.ts";

interface Pair {
  readonly providerId: string;
  readonly modelId: string;
}

type Priced = ItemOf<"prices.list">;
type Listed = Pick<Priced, keyof Pair | "price" | "currency" | "validFrom">;

const keyOf = ({ providerId, modelId }: Pair): string => `${providerId}/${modelId}`;
const named = { one: "price", idOf: keyOf, nameOf: keyOf };
const prices = nounOf("prices.list", { ...named, many: "prices", open: connect });
const serverPrices = nounOf("prices.listServer", {
  ...named,
  many: "server-prices",
  open: connectAsOperator,
});
const by = "provider/model";

/** A model by its full name: a price may be set before the model is enabled. Throws `CommandError`. */
async function findModel(_connection: unknown, reference: string): Promise<Named> {
  if (modelOption.read(reference) !== undefined) return { id: reference, name: reference };
  throw new CommandError(`${reference} is not a model: name it as provider/model`);
}

/** The provider and the model of a key. */
const pairOf = ({ id }: Named) => modelOption.read(id) as Pair;

const columns = {
  MODEL: keyOf,
  INPUT: ({ price }: Listed) => price?.input ?? "no price",
  CACHED: ({ price }: Listed) => price?.cachedInput,
  OUTPUT: ({ price }: Listed) => price?.output,
  CURRENCY: ({ currency }: Listed) => currency,
  SINCE: ({ validFrom }: Listed) => shortTime(validFrom),
};

const upcoming = z.boolean().optional().describe("those that do not count yet");

async function* readPrices(
  connection: ServerConnection,
  filters: { readonly upcoming?: boolean | undefined },
): AsyncGenerator<Priced> {
  const { rpc, wId } = connection;
  if (filters.upcoming === true) {
    yield* (await callServer(rpc.prices.list.query({ wId }))).upcoming;
  } else {
    yield* readListed(connection, "prices.list");
  }
}

const ofModel = ["providerId", "modelId"];
const setInput = { schema: inputOf("prices.set", ofModel) };
const setServerInput = { schema: inputOf("prices.setServer", ofModel) };
const removeServerInput = { schema: inputOf("prices.removeServer", ofModel) };

/** Makes the commands about what models cost in a workspace. */
export const createPriceCommands = (context: Context) =>
  group("prices", "what models cost in a workspace, for a million tokens", [
    listCommand(context, prices, {
      about: "list what the enabled models cost",
      filters: z.object({ upcoming }),
      read: readPrices,
      columns: { ...columns, FROM: ({ origin }) => origin },
    }),
    actionCommand(context, prices, {
      name: "set",
      about: "set what a model costs, from now or from a later time on",
      did: "set",
      by,
      find: findModel,
      ...setInput,
      call: async (connection, found, input) =>
        callEndpoint(connection, "prices.set", { ...input, ...pairOf(found) }),
    }),
    actionCommand(context, prices, {
      name: "remove",
      about: "remove the workspace's own price of a model",
      did: "removed",
      by,
      find: findModel,
      destroys: ({ name }) => `remove the price of ${name}`,
      call: async (connection, found) =>
        callEndpoint(connection, "prices.remove", { ...pairOf(found) }),
    }),
  ]);

/** Makes the commands about what models cost in workspaces without prices of their own. */
export const createServerPriceCommands = (context: Context) =>
  group("server-prices", "what models cost in workspaces without own prices", [
    listCommand(context, serverPrices, {
      about: "list the prices that operators have set",
      columns,
    }),
    actionCommand(context, serverPrices, {
      name: "set",
      about: "set what a model costs, from now or from a later time on",
      did: "set",
      by,
      find: findModel,
      ...setServerInput,
      call: async (connection, found, input) =>
        callEndpoint(connection, "prices.setServer", { ...input, ...pairOf(found) }),
    }),
    actionCommand(context, serverPrices, {
      name: "remove",
      about: "remove the operators' price of a model",
      did: "removed",
      by,
      find: findModel,
      ...removeServerInput,
      destroys: ({ name }) => `remove the price of ${name}`,
      call: async (connection, found, input) =>
        callEndpoint(connection, "prices.removeServer", { ...input, ...pairOf(found) }),
    }),
  ]);
