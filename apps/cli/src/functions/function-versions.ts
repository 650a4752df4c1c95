import { CommandError } from "@parley/command/command-error";
import { group } from "@parley/command/group";
import { ownFilesOf, packagesOf } from "@parley/schema";
import { InvalidArgumentError } from "commander";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { type ItemOf, readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounCommand, nounOf } from "../grammar/noun.ts";
import { printAnswer, printDone } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import { filesOfProgram } from "./function-members.ts";

type Version = ItemOf<"sandboxFunctions.listVersions">;

const noun = nounOf("sandboxFunctions.listVersions", {
  many: "versions",
  one: "version",
  open: connect,
  idOf: ({ version }) => String(version),
});

/** Versions that are listed by default. */
const NEWEST = 20;
const BY = "id or slug";

const readVersions = (connection: ServerConnection, functionId: string) =>
  readListed(connection, "sandboxFunctions.listVersions", { functionId });

const describeProgram = ({ program }: Version): string => {
  const files = filesOfProgram(program);
  const { length } = Object.keys(ownFilesOf(files));
  if (length === 0) return program.type;
  const packages = packagesOf(files).map(({ name, version }) => `${name} ${version}`);
  return [program.type, length === 1 ? "1 file" : `${length} files`, ...packages].join(", ");
};

const list = (context: Context) =>
  listCommand(context, noun, {
    about: "list the versions of a function, newest first",
    limit: NEWEST,
    of: "function",
    by: BY,
    read: (connection, _filters, functionId) => readVersions(connection, functionId),
    columns: {
      VERSION: ({ version }) => version,
      CREATED: ({ createdAt }) => shortTime(createdAt),
      BY: ({ editor }) => editor?.name,
      PROGRAM: describeProgram,
      DESCRIPTION: ({ description }) => description,
    },
  });

function readNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}

/** The newest version of a function that is wanted, by its number. */
async function findVersion(
  connection: ServerConnection,
  functionId: string,
  isWanted: (version: number) => boolean,
): Promise<Version | undefined> {
  for await (const one of readVersions(connection, functionId)) {
    if (isWanted(one.version)) return one;
  }
  return undefined;
}

const unknown = (functionId: string, version: number): CommandError =>
  new CommandError(
    `${functionId} has no version ${version}: see parley functions versions ${functionId}`,
  );

const get = (context: Context) =>
  nounCommand("get", "show a version with its program")
    .argument("<function>", BY)
    .argument("<version>", "number of the version", readNumber)
    .action(async (functionId: string, number: number, options: ServerOptions) => {
      const connection = await connect(context, options);
      const found = await callServer(findVersion(connection, functionId, (one) => one === number));
      if (found === undefined) throw unknown(functionId, number);
      await printAnswer(context.io, { version: found }, options);
    });

/** What a version defines, as an update takes it. */
function definitionOf(found: Version) {
  const { version: _version, createdAt: _createdAt, editor: _editor, ...definition } = found;
  return definition;
}

/** Makes the command that gives a function the definition of one of its earlier versions. */
export const createRollback = (context: Context) =>
  nounCommand("rollback", "make an earlier version current again, as a new version equal to it")
    .argument("<function>", BY)
    .argument("[version]", "number of the version; defaults to the one before", readNumber)
    .action(async (functionId: string, number: number | undefined, options: ServerOptions) => {
      const connection = await connect(context, options);
      const { rpc, wId } = connection;
      const { sandboxFunction: current } = await callServer(
        rpc.sandboxFunctions.get.query({ wId, functionId }),
      );
      if (number === current.version) {
        const done = `${current.slug} is at version ${number} already`;
        return printDone(context.io, done, { sandboxFunction: current }, options);
      }
      const isWanted = (one: number) =>
        number === undefined ? one < current.version : one === number;
      const found = await callServer(findVersion(connection, current.sId, isWanted));
      if (found === undefined) {
        if (number !== undefined) throw unknown(functionId, number);
        throw new CommandError(`${current.slug} has no earlier version`);
      }
      const { version } = current;
      const update = { wId, functionId: current.sId, version, ...definitionOf(found) };
      const answer = await callServer(rpc.sandboxFunctions.update.mutate(update));
      const { slug } = current;
      const done = `rolled back: ${slug} to version ${found.version}, as version ${answer.sandboxFunction.version}`;
      printDone(context.io, done, answer, options);
    });

/** Makes the commands about the versions of a function; without a name of one, they are listed. */
export const createFunctionVersionCommands = (context: Context) =>
  group("versions", "versions of a function", [list(context), get(context)], {
    byDefault: "list",
  });
