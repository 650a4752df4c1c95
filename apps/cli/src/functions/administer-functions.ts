import {
  CreateSandboxFunction,
  FunctionStatus,
  type SandboxFunction,
  UpdateSandboxFunction,
} from "@parley/schema";
import * as z from "zod";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import {
  actionCommand,
  createCommand,
  type Done,
  type Named,
  updateCommand,
} from "../grammar/one-commands.ts";

const noun = { many: "functions", one: "function", open: connect };
const by = "id or slug";

/** Those that can be invoked. */
const readActive = ({ parley }: ServerConnection) =>
  readPages(
    async (place) => parley.functions.list(place),
    ({ sandboxFunctions }) => sandboxFunctions,
  );

const readInState = ({ rpc, wId }: ServerConnection, status: FunctionStatus) =>
  readPages(
    async (place) => rpc.sandboxFunctions.listAll.query({ wId, status, ...place }),
    ({ sandboxFunctions }) => sandboxFunctions,
  );

async function find(
  functions: AsyncIterable<SandboxFunction>,
  reference: string,
): Promise<Named & { readonly version: number }> {
  const { sId, slug, version } = await findOne(functions, reference, {
    ...noun,
    idOf: (one) => one.sId,
    nameOf: (one) => one.slug,
  });
  return { id: sId, name: slug, version };
}

const findActive = async (connection: ServerConnection, reference: string) =>
  find(readActive(connection), reference);

interface Answer {
  readonly sandboxFunction: Pick<SandboxFunction, "sId" | "slug">;
}

const doneOf = (answer: Answer): Done => ({
  named: { id: answer.sandboxFunction.sId, name: answer.sandboxFunction.slug },
  answer,
});

/** Makes the commands that every noun has, but for `get`. */
export const createAdministration = () => [
  listCommand(noun, {
    about: "list the functions that can be invoked",
    listed: "sandboxFunctions",
    filters: z.object({
      status: FunctionStatus.optional().describe(
        "Only functions in this state; needs a builder's key",
      ),
    }),
    read: (connection, { status }): AsyncIterable<SandboxFunction> =>
      status === undefined ? readActive(connection) : readInState(connection, status),
    idOf: ({ sId }) => sId,
    columns: {
      ID: ({ sId }) => sId,
      SLUG: ({ slug }) => slug,
      VERSION: ({ version }) => version,
      "TIMEOUT MS": ({ timeoutMs }) => timeoutMs,
      "AT ONCE": ({ maxConcurrent }) => maxConcurrent,
      DESCRIPTION: ({ description }) => description,
    },
  }),
  createCommand(noun, {
    about: "create a function of options or a file; push makes one of a folder",
    argument: "slug",
    schema: CreateSandboxFunction.omit({ wId: true }),
    call: async ({ rpc, wId }, input) =>
      doneOf(await rpc.sandboxFunctions.create.mutate({ wId, ...input })),
  }),
  updateCommand(noun, {
    by,
    schema: UpdateSandboxFunction.omit({ wId: true, functionId: true, version: true }),
    find: findActive,
    call: async ({ rpc, wId }, { id, version }, input) =>
      doneOf(await rpc.sandboxFunctions.update.mutate({ wId, functionId: id, version, ...input })),
  }),
  actionCommand(noun, {
    name: "remove",
    about: "archive a function: it can no longer be invoked",
    did: "archived",
    by,
    find: findActive,
    destroys: ({ name }) => `archives the function ${name}`,
    call: async ({ rpc, wId }, { id }) => ({
      answer: await rpc.sandboxFunctions.archive.mutate({ wId, functionId: id }),
    }),
  }),
  actionCommand(noun, {
    name: "restore",
    about: "let an archived function be invoked again",
    did: "restored",
    by,
    find: async (connection, reference) => find(readInState(connection, "archived"), reference),
    call: async ({ rpc, wId }, { id }) => ({
      answer: await rpc.sandboxFunctions.restore.mutate({ wId, functionId: id }),
    }),
  }),
];
