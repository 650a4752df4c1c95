import {
  CreateSandboxFunction,
  FunctionStatus,
  type SandboxFunction,
  UpdateSandboxFunction,
} from "@parley/schema";
import * as z from "zod";
import { listCommand } from "../grammar/list-command.ts";
import { findFunction, functions as noun, readFunctions } from "../grammar/functions.ts";
import { actionCommand, createCommand, type Done, updateCommand } from "../grammar/one-commands.ts";
import type { Context } from "../context.ts";

const by = "id or slug";
const find = findFunction();

interface Answer {
  readonly sandboxFunction: Pick<SandboxFunction, "sId" | "slug">;
}

const doneOf = (answer: Answer): Done => ({
  named: { id: answer.sandboxFunction.sId, name: answer.sandboxFunction.slug },
  answer,
});

/** Makes the commands that every noun has, but for `get`. */
export const createAdministration = (context: Context) => [
  listCommand(context, noun, {
    about: "list the functions that can be invoked",
    listed: "sandboxFunctions",
    filters: z.object({
      status: FunctionStatus.optional().describe(
        "Only functions in this state; needs a builder's key",
      ),
    }),
    read: (connection, { status }) => readFunctions(connection, status),
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
  createCommand(context, noun, {
    about: "create a function of options or a file; push makes one of a folder",
    argument: "slug",
    schema: CreateSandboxFunction.omit({ wId: true }),
    call: async ({ rpc, wId }, input) =>
      doneOf(await rpc.sandboxFunctions.create.mutate({ wId, ...input })),
  }),
  updateCommand(context, noun, {
    by,
    schema: UpdateSandboxFunction.omit({ wId: true, functionId: true, version: true }),
    find,
    call: async ({ rpc, wId }, { id, version }, input) =>
      doneOf(await rpc.sandboxFunctions.update.mutate({ wId, functionId: id, version, ...input })),
  }),
  actionCommand(context, noun, {
    name: "remove",
    about: "archive a function: it can no longer be invoked",
    did: "archived",
    by,
    find,
    destroys: ({ name }) => `archives the function ${name}`,
    call: async ({ rpc, wId }, { id }) => ({
      answer: await rpc.sandboxFunctions.archive.mutate({ wId, functionId: id }),
    }),
  }),
  actionCommand(context, noun, {
    name: "restore",
    about: "let an archived function be invoked again",
    did: "restored",
    by,
    find: findFunction("archived"),
    call: async ({ rpc, wId }, { id }) => ({
      answer: await rpc.sandboxFunctions.restore.mutate({ wId, functionId: id }),
    }),
  }),
];
