import { FunctionStatus } from "@parley/schema";
import * as z from "zod";
import { functions as noun, readFunctions } from "../grammar/functions.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn } from "../grammar/noun.ts";
import { actionCommand, createCommand, updateCommand } from "../grammar/one-commands.ts";
import type { Context } from "../connection/context.ts";

const by = "id or slug";

/** Makes the commands that every noun has, but for `get`. */
export const createAdministration = (context: Context) => [
  listCommand(context, noun, {
    about: "list the functions that can be invoked",
    filters: z.object({
      status: FunctionStatus.optional().describe(
        "Only functions with this status; needs a builder's key",
      ),
    }),
    read: (connection, { status }) => readFunctions(connection, status),
    columns: {
      ID: ({ sId }) => sId,
      SLUG: ({ slug }) => slug,
      VERSION: ({ version }) => version,
      "TIMEOUT MS": ({ timeoutMs }) => timeoutMs,
      "MAX CONCURRENT": ({ maxConcurrent }) => maxConcurrent,
      DESCRIPTION: ({ description }) => description,
    },
  }),
  createCommand(context, noun, {
    about: "create a function from options or a file; push creates one from a folder",
    argument: "slug",
    call: "sandboxFunctions.create",
  }),
  updateCommand(context, noun, { by, call: "sandboxFunctions.update" }),
  actionCommand(context, noun, {
    name: "remove",
    about: "archive a function, so that it can no longer be invoked",
    did: "archived",
    by,
    destroys: ({ name }) => `archive the function ${name}`,
    call: "sandboxFunctions.archive",
  }),
  actionCommand(context, noun, {
    name: "restore",
    about: "restore an archived function",
    did: "restored",
    by,
    find: findIn(noun, (connection) => readFunctions(connection, "archived")),
    call: "sandboxFunctions.restore",
  }),
];
