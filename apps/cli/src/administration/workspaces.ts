import { group } from "@parley/command/group";
import type { connectAsOperator } from "../connection/connect.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn, type Named } from "../grammar/noun.ts";
import { workspaces as noun } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

type Server = Awaited<ReturnType<typeof connectAsOperator>>;

/** One that the key's owner administers is named by its id; operators may name one by its name too. */
async function find(server: Server, reference: string): Promise<Named> {
  const { session } = await server.rpc.session.get.query({});
  if (session.workspace?.sId === reference || session.workspace?.name === reference) {
    return { id: session.workspace.sId, name: session.workspace.name };
  }
  if (session.role !== "operator") return { id: reference, name: reference };
  return findIn(noun)(server, reference);
}

const common = { find, by: "id or name" } as const;

/** Makes the commands about workspaces. */
export const createWorkspaceCommands = (context: Context) =>
  group("workspaces", "the workspaces of a server (operators) and their settings (admins too)", [
    listCommand(context, noun, {
      about: "list the workspaces, newest first",
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        CREATED: ({ createdAt }) => shortTime(createdAt),
        SUSPENDED: ({ suspendedAt }) => shortTime(suspendedAt),
      },
    }),
    getCommand(context, noun, {
      ...common,
      about: "show the settings of a workspace",
      read: "workspaces.get",
    }),
    getCommand(context, noun, {
      ...common,
      name: "usage",
      about: "count what a workspace contains",
      read: "workspaces.usage",
    }),
    createCommand(context, noun, {
      about: "create a workspace and print its admin key, which is shown only once",
      argument: "name",
      call: "workspaces.create",
    }),
    updateCommand(context, noun, {
      // parley models enable and disable have the others.
      without: ["enableModels", "disableModels"],
      find,
      call: "workspaces.update",
    }),
    actionCommand(context, noun, {
      ...common,
      name: "suspend",
      about: "suspend a workspace: its keys and tokens are refused",
      did: "suspended",
      destroys: ({ name }) => `refuse all keys and tokens of the workspace ${name}`,
      call: "workspaces.suspend",
    }),
    actionCommand(context, noun, {
      ...common,
      name: "resume",
      about: "resume a suspended workspace",
      did: "resumed",
      call: "workspaces.resume",
    }),
    actionCommand(context, noun, {
      ...common,
      name: "remove",
      about: "delete a workspace and everything in it",
      did: "removed",
      destroys: ({ name }) => `permanently delete the workspace ${name} and everything in it`,
      call: "workspaces.delete",
    }),
  ]);
