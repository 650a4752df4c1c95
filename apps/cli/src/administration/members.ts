import { AddMember, type User } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import { actionCommand, createCommand, getCommand, type Named } from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = { many: "members", one: "member", open: connect };
const by = "id or e-mail address";

const readAll = ({ rpc, wId }: ServerConnection) =>
  readPages(
    async (place) => rpc.members.list.query({ wId, ...place }),
    ({ members }) => members,
  );

async function find(
  connection: ServerConnection,
  reference: string,
): Promise<Named & { readonly member: User }> {
  const names = { ...noun, idOf: (one: User) => one.sId, nameOf: (one: User) => one.email };
  const member = await findOne(readAll(connection), reference, names);
  return { id: member.sId, name: member.email, member };
}

/** Makes the commands about members. */
export const createMemberCommands = () =>
  group("members", "people of a workspace", [
    listCommand(noun, {
      about: "list the members",
      listed: "members",
      read: readAll,
      idOf: ({ sId }) => sId,
      columns: {
        ID: ({ sId }) => sId,
        EMAIL: ({ email }) => email,
        NAME: ({ fullName }) => fullName,
        USERNAME: ({ username }) => username,
        CREATED: ({ createdAt }) => shortTime(createdAt),
      },
    }),
    getCommand(noun, { by, find, read: async (_connection, { member }) => ({ member }) }),
    createCommand(noun, {
      about: "add a member",
      argument: "email",
      schema: AddMember.omit({ wId: true }),
      call: async ({ rpc, wId }, input) => {
        const answer = await rpc.members.add.mutate({ wId, ...input });
        return { named: { id: answer.member.sId, name: answer.member.email }, answer };
      },
    }),
    actionCommand(noun, {
      name: "remove",
      about: "remove a member, whose tokens are then refused",
      did: "removed",
      by,
      find,
      destroys: ({ name }) => `removes the member ${name}`,
      call: async ({ rpc, wId }, { id }) => ({
        answer: await rpc.members.remove.mutate({ wId, memberId: id }),
      }),
    }),
  ]);
