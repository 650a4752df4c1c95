import { Command as TypedCommand } from "@commander-js/extra-typings";
import type { EndpointName } from "@parley/schema";
import type { Command } from "commander";
import { type ServerOptions, withServer } from "../connection/server-options.ts";
import { type Caller, type ItemOf, listedBy, readListed } from "./endpoint-calls.ts";
import { findOne } from "./find-one.ts";
import type { Context } from "../connection/context.ts";

/** A thing, as a sentence names it. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A thing that was found, as the list has it if it was found there. */
export interface Found<Item> extends Named {
  readonly item?: Item;
}

export type Find<Connection, Item> = (
  connection: Connection,
  reference: string,
) => Promise<Found<Item>>;

/** How a person names a noun. */
interface Words<Connection> {
  /** The group of its commands, as `spaces`. */
  readonly many: string;
  /** One of them in a sentence, as `space`. */
  readonly one: string;
  /** Finds the server; throws `CommandError` or `BadConfiguration`. */
  readonly open: (context: Context, options: ServerOptions) => Promise<Connection>;
}

/** What commands are about. */
export interface Noun<Connection, Item> extends Words<Connection> {
  /** Name of the list in the server's answers, which name one without the s at its end. */
  readonly listed: string;
  readonly idOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  readonly read: (connection: Connection, filters?: object) => AsyncIterable<Item>;
  /** The version that a change is based on, if changes must name one. */
  readonly versionOf?: (connection: Connection, found: Found<Item>) => Promise<number | undefined>;
}

/** The noun that an endpoint lists. Unless it is said here, things have an `sId` and a `name`. */
export const nounOf = <N extends EndpointName, Connection extends Caller>(
  list: N,
  {
    idOf = (item) => (item as { readonly sId: string }).sId,
    nameOf = (item) => (item as { readonly name: string }).name,
    ...words
  }: Words<Connection> & Partial<Noun<Connection, ItemOf<N>>>,
): Noun<Connection, ItemOf<N>> => ({
  listed: listedBy(list),
  read: (connection, filters) => readListed(connection, list, filters),
  idOf,
  nameOf,
  ...words,
});

/** Finds the one with an id, or the only one with a name, among those that `read` gives. Throws `CommandError`. */
export const findIn =
  <Connection, Item>(
    noun: Omit<Noun<Connection, Item>, "versionOf">,
    read: (connection: Connection) => AsyncIterable<Item> = noun.read,
  ): Find<Connection, Item> =>
  async (connection, reference) => {
    const item = await findOne(read(connection), reference, noun);
    return { id: noun.idOf(item), name: noun.nameOf(item), item };
  };

/** Finds what has no name: an id is taken for what it is. */
export const findById = async (_connection: unknown, id: string): Promise<Named> => ({
  id,
  name: id,
});

/** Begins a command about a noun, with the options that name a server. */
export function nounCommand(name: string, description: string): Command {
  const command = withServer(new TypedCommand(name).description(description));
  // Options that come from a schema have no static types.
  return command as unknown as Command;
}

/** A noun with its article. */
export const withArticle = (one: string): string => `${/^[aeio]/.test(one) ? "an" : "a"} ${one}`;
