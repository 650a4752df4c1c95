import { group } from "@parley/command/group";
import { listCommand } from "../grammar/list-command.ts";
import { nounCommand } from "../grammar/noun.ts";
import { files as noun, findFile as find } from "../grammar/nouns.ts";
import { actionCommand } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

const load = () => import("./transfer-files.ts");

/** Files that are listed by default. */
const NEWEST = 50;

const get = (context: Context) =>
  nounCommand("get", "download a file to standard output or to a new file")
    .argument("<file>", "id or name")
    .option("--output <path>", "a new file, or a folder to put it in")
    .action(async (reference: string, options: { readonly output?: string }) =>
      (await load()).downloadFile(context, { find, reference }, options),
    );

const create = (context: Context) =>
  nounCommand("create", "upload a file")
    .argument("<path>", "file to upload")
    .option("--name <name>", "name of the upload; defaults to that of the path")
    .option("--content-type <type>", "MIME type; derived from the name by default")
    .option("--use-case <word>", "what it is for", "conversation")
    .action(async (path: string, options: UploadOptions) =>
      (await load()).uploadFile(context, path, options),
    );

interface UploadOptions {
  readonly name?: string;
  readonly contentType?: string;
  readonly useCase: string;
}

/** Makes the commands about files. */
export const createFileCommands = (context: Context) =>
  group("files", "uploads that your key can see", [
    listCommand(context, noun, {
      about: "list the uploads, newest first",
      limit: NEWEST,
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ fileName }) => fileName,
        TYPE: ({ contentType }) => contentType,
        BYTES: ({ fileSize }) => fileSize,
        STATUS: ({ status }) => status,
        "USE CASE": ({ useCase }) => useCase,
        CREATED: ({ createdAt }) => shortTime(createdAt),
      },
    }),
    get(context),
    create(context),
    actionCommand(context, noun, {
      name: "remove",
      about: "delete a file; conversations that use it keep everything but its content",
      did: "removed",
      destroys: ({ name }) => `permanently delete the file ${name}`,
      call: async ({ parley }, { id }) => {
        await parley.files.delete({ fileId: id });
        return { success: true };
      },
    }),
  ]);
