import { AddMember } from "@parley/schema";
import { listCommand } from "../grammar/list-command.ts";
import { findMember as find, members as noun, readMembers } from "../grammar/members.ts";
import { actionCommand, createCommand, getCommand } from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../context.ts";

const by = "id or e-mail address";

/** Makes the commands about members. */
export const createMemberCommands = (context: Context) =>
  group("members", "people of a workspace", [
    listCommand(context, noun, {
      about: "list the members",
      listed: "members",
      read: readMembers,
      idOf: ({ sId }) => sId,
      columns: {
        ID: ({ sId }) => sId,
        EMAIL: ({ email }) => email,
        NAME: ({ fullName }) => fullName,
        USERNAME: ({ username }) => username,
        CREATED: ({ createdAt }) => shortTime(createdAt),
      },
    }),
    getCommand(context, noun, { by, find, read: async (_connection, { member }) => ({ member }) }),
    createCommand(context, noun, {
      about: "add a member",
      argument: "email",
      schema: AddMember.omit({ wId: true }),
      call: async ({ rpc, wId }, input) => {
        const answer = await rpc.members.add.mutate({ wId, ...input });
        return { named: { id: answer.member.sId, name: answer.member.email }, answer };
      },
    }),
    actionCommand(context, noun, {
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
