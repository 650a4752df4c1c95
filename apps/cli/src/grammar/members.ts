import type { User } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "./find-one.ts";
import type { Named } from "./one-commands.ts";

export const members = { many: "members", one: "member", open: connect };

/** Reads all members, a page at a time. Throws `CommandError`. */
export const readMembers = ({ rpc, wId }: ServerConnection) =>
  readPages(
    async (place) => rpc.members.list.query({ wId, ...place }),
    (page) => page.members,
  );

/** The member with an id, or the only one with an e-mail address. Throws `CommandError`. */
export async function findMember(
  connection: ServerConnection,
  reference: string,
): Promise<Named & { readonly member: User }> {
  const names = { ...members, idOf: (one: User) => one.sId, nameOf: (one: User) => one.email };
  const member = await findOne(readMembers(connection), reference, names);
  return { id: member.sId, name: member.email, member };
}
