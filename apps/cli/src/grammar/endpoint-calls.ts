import {
  type Endpoint,
  type EndpointName,
  endpoints,
  type Endpoints,
  MAX_PAGE_ITEMS,
} from "@parley/schema";
import type { RpcClient } from "parley-client";
import * as z from "zod";
import { readPages } from "../connection/read-pages.ts";

/** The clients of a server, and the workspace unless the server itself is administered. */
export interface Caller {
  readonly rpc: RpcClient;
  readonly wId?: string;
}

/** The array of an answer. */
type ItemsIn<T> = Extract<T[keyof T], readonly unknown[]>;

/** What an endpoint lists. */
export type ItemOf<N extends EndpointName> = Endpoints[N] extends {
  readonly output: infer Output extends z.ZodType;
}
  ? ItemsIn<z.output<Output>>[number]
  : never;

function membersOf(name: EndpointName): Readonly<Record<string, z.ZodType>> {
  const { query, body }: Endpoint = endpoints[name];
  return { ...query?.shape, ...body?.shape };
}

/** What a person may say of a call: not what its path names, nor the version that it must be based on. */
export function inputOf(name: EndpointName, without: readonly string[] = []): z.ZodObject {
  const isGiven = (member: string, schema: z.ZodType) =>
    !without.includes(member) && (member !== "version" || schema.safeParse(undefined).success);
  const members = Object.entries(membersOf(name)).filter(([member, one]) => isGiven(member, one));
  return z.object(Object.fromEntries(members));
}

/** Whether an endpoint takes the version that a change is based on. */
export const takesVersion = (name: EndpointName): boolean => "version" in membersOf(name);

/** An answer of an endpoint, by its members. */
export type Answer = Readonly<Record<string, unknown>>;

interface Procedure {
  readonly query: (input: object) => Promise<Answer>;
  readonly mutate: (input: object) => Promise<Answer>;
}

/** Calls the procedure of an endpoint; `id` is the last parameter of its path. */
export async function callEndpoint(
  { rpc, wId }: Caller,
  name: EndpointName,
  { id, ...input }: { readonly id?: string } & Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const { method, params } = endpoints[name];
  const about = id !== undefined && { [Object.keys(params.shape).at(-1) ?? ""]: id };
  const [router = "", procedure = ""] = name.split(".");
  // The router has a procedure for each JSON endpoint, and a query for each GET.
  const routers = rpc as unknown as Readonly<Record<string, Readonly<Record<string, Procedure>>>>;
  const called = routers[router]?.[procedure];
  if (called === undefined) throw new Error(`There is no procedure ${name}`);
  const given = { ...(wId !== undefined && { wId }), ...about, ...input };
  return method === "GET" ? called.query(given) : called.mutate(given);
}

/** The name of the array in the answers of an endpoint that lists. */
export function listedBy(name: EndpointName): string {
  const { output } = endpoints[name] as { readonly output: z.ZodObject };
  const arrays = Object.entries(output.shape).filter(([, one]) => one instanceof z.ZodArray);
  return arrays[0]?.[0] ?? "";
}

/** Reads what an endpoint lists, a page at a time if it has pages. Throws `CommandError`. */
export function readListed<N extends EndpointName>(
  caller: Caller,
  name: N,
  filters: object = {},
): AsyncGenerator<ItemOf<N>> {
  const limit = "limit" in membersOf(name) && { limit: MAX_PAGE_ITEMS };
  const listed = listedBy(name);
  return readPages(
    async (place) => {
      const answer = await callEndpoint(caller, name, { ...filters, ...limit, ...place });
      // Reading it throws if the answer is not the endpoint's; a list without pages does not say that no more follow.
      const items = [...(answer[listed] as readonly ItemOf<N>[])];
      const { hasMore = false, lastValue = null } = answer as Partial<PageEnd>;
      return { items, hasMore, lastValue };
    },
    ({ items }) => items,
  );
}

interface PageEnd {
  readonly hasMore: boolean;
  readonly lastValue: string | null;
}
