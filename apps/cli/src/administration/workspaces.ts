import { CreateWorkspace, UpdateWorkspace } from "@parley/schema";
import { connectAsOperator } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  type Named,
  updateCommand,
} from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../context.ts";

type Server = Awaited<ReturnType<typeof connectAsOperator>>;

const noun = { many: "workspaces", one: "workspace", open: connectAsOperator };

const readAll = ({ rpc }: Server) =>
  readPages(
    async (place) => rpc.workspaces.list.query({ limit: 100, ...place }),
    ({ workspaces }) => workspaces,
  );

/** One that the key's owner administers is named by its id; operators may name one by its name too. */
async function find(server: Server, reference: string): Promise<Named> {
  const { session } = await server.rpc.session.get.query({});
  if (session.workspace?.sId === reference || session.workspace?.name === reference) {
    return { id: session.workspace.sId, name: session.workspace.name };
  }
  if (session.role !== "operator") return { id: reference, name: reference };
  const { sId, name } = await findOne(readAll(server), reference, {
    ...noun,
    idOf: (one) => one.sId,
    nameOf: (one) => one.name,
  });
  return { id: sId, name };
}

const common = { find, by: "id or name" } as const;

/** Makes the commands about workspaces. */
export const createWorkspaceCommands = (context: Context) =>
  group("workspaces", "the workspaces of a server, for operators; settings, for admins too", [
    listCommand(context, noun, {
      about: "list the workspaces, the newest first",
      listed: "workspaces",
      read: readAll,
      idOf: ({ sId }) => sId,
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
      read: async ({ rpc }, { id }) => rpc.workspaces.get.query({ wId: id }),
    }),
    getUsage(context),
    createCommand(context, noun, {
      about: "create a workspace, and print its admin key: it is shown only then",
      argument: "name",
      schema: CreateWorkspace,
      call: async ({ rpc }, input) => {
        const answer = await rpc.workspaces.create.mutate(input);
        const { sId: id, name } = answer.workspace;
        return { named: { id, name }, answer, secret: answer.adminKey };
      },
    }),
    updateCommand(context, noun, {
      // parley models enable and disable have the others.
      schema: UpdateWorkspace.omit({ wId: true, enableModels: true, disableModels: true }),
      find,
      call: async ({ rpc }, { id }, input) => {
        const answer = await rpc.workspaces.update.mutate({ wId: id, ...input });
        return { named: { id, name: answer.name }, answer };
      },
    }),
    actionCommand(context, noun, {
      ...common,
      name: "suspend",
      about: "refuse the keys and tokens of a workspace for now",
      did: "suspended",
      destroys: ({ name }) => `refuses all keys and tokens of the workspace ${name}`,
      call: async ({ rpc }, { id }) => ({
        answer: await rpc.workspaces.suspend.mutate({ wId: id }),
      }),
    }),
    actionCommand(context, noun, {
      ...common,
      name: "resume",
      about: "accept the keys and tokens of a suspended workspace again",
      did: "resumed",
      call: async ({ rpc }, { id }) => ({
        answer: await rpc.workspaces.resume.mutate({ wId: id }),
      }),
    }),
    actionCommand(context, noun, {
      ...common,
      name: "remove",
      about: "delete a workspace and everything in it",
      did: "removed",
      destroys: ({ name }) => `deletes the workspace ${name} and everything in it for good`,
      call: async ({ rpc }, { id }) => ({
        answer: await rpc.workspaces.delete.mutate({ wId: id }),
      }),
    }),
  ]);

const getUsage = (context: Context) =>
  getCommand(context, noun, {
    ...common,
    name: "usage",
    about: "count what a workspace holds",
    read: async ({ rpc }, { id }) => rpc.workspaces.usage.query({ wId: id }),
  });
