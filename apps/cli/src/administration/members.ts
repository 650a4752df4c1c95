import { group } from "@parley/command/group";
import { listCommand } from "../grammar/list-command.ts";
import { members as noun } from "../grammar/nouns.ts";
import { actionCommand, createCommand, getCommand } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

const by = "id or e-mail address";

/** Makes the commands about members. */
export const createMemberCommands = (context: Context) =>
  group("members", "people in a workspace", [
    listCommand(context, noun, {
      about: "list the members",
      columns: {
        ID: ({ sId }) => sId,
        EMAIL: ({ email }) => email,
        NAME: ({ fullName }) => fullName,
        USERNAME: ({ username }) => username,
        CREATED: ({ createdAt }) => shortTime(createdAt),
      },
    }),
    getCommand(context, noun, { by }),
    createCommand(context, noun, { about: "add a member", argument: "email", call: "members.add" }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove a member and revoke their tokens",
      did: "removed",
      by,
      destroys: ({ name }) => `remove the member ${name}`,
      call: "members.remove",
    }),
  ]);
