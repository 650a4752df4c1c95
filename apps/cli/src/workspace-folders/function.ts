import { folderKind, Program } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { describeCodeFaults } from "../functions/code-faults.ts";
import { editorFilesOf } from "../functions/editor-files.ts";
import { filesOfProgram, membersOfFunction } from "../functions/function-members.ts";
import {
  type FunctionFolder,
  isOfFunction,
  readFunctionFiles,
  readFunctionFolder,
} from "../functions/read-function-folder.ts";
import { writeFunctionFolder } from "../functions/write-function-folder.ts";
import type { Kind, Listed, Read } from "./kind.ts";

/** The functions of a workspace. */
export async function listFunctions({ rpc, wId }: ServerConnection): Promise<Listed[]> {
  const listed = await Array.fromAsync(
    readPages(
      async (place) => rpc.sandboxFunctions.listAll.query({ wId, limit: 100, ...place }),
      (page) => page.sandboxFunctions,
    ),
  );
  return listed.map(({ slug: name, sId: id, status }) => {
    return { name, id, isArchived: status === "archived" };
  });
}

/** Reads a function with its program. */
export async function readFunction(
  { rpc, wId }: ServerConnection,
  one: Listed,
): Promise<Read<FunctionFolder>> {
  const reading = rpc.sandboxFunctions.get.query({ wId, functionId: one.id });
  const { sandboxFunction: shown } = await callServer(reading);
  const program = Program.parse(shown.program);
  const files = filesOfProgram(program);
  const { description, timeoutMs, maxOutputBytes, maxLogLines, maxConcurrent } = shown;
  const { retryable, requiresApproval, version } = shown;
  const definition = {
    description,
    inputSchema: shown.inputSchema ?? {},
    outputSchema: shown.outputSchema ?? {},
    retryable,
    requiresApproval,
    timeoutMs,
    maxOutputBytes,
    maxLogLines,
    maxConcurrent,
    program: program.type === folderKind ? { ...program, source: files } : program,
  };
  return { ...one, version, definition: { slug: one.name, files, definition } };
}

/** What a call answers; faults of the code are shown with their lines. */
const withCodeFaults = async <T>(call: Promise<T>, { files }: FunctionFolder): Promise<T> =>
  callServer(call).catch((error: unknown) => {
    throw describeCodeFaults(error, files) ?? error;
  });

/** Puts the folder of a thing before the paths of its files. */
const under = <T>(stem: string, files: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${stem}/${path}`, text]));

export const functionKind: Kind<FunctionFolder> = {
  folder: "functions",
  nameOf: ({ slug }) => slug,
  isTaken: isOfFunction,
  read: async ({ place }) => {
    const isEmpty = Object.keys(await readFunctionFiles(place)).length === 0;
    return isEmpty ? { faults: [] } : { value: await readFunctionFolder(place) };
  },
  write: (one, stem) => ({
    files: under(stem, writeFunctionFolder(one)),
    forEditors: under(stem, editorFilesOf(one.files, one.definition)),
  }),
  usesOf: () => [],
  compared: ({ definition }) => membersOfFunction(definition),
  create: async ({ connection: { rpc, wId } }, one) => {
    const draft = { wId, slug: one.slug, ...one.definition };
    const creating = withCodeFaults(rpc.sandboxFunctions.create.mutate(draft), one);
    return (await creating).sandboxFunction.sId;
  },
  update: async ({ connection: { rpc, wId } }, { before, after, changed }) => {
    const { id: functionId, version, isArchived } = before;
    if (changed.size > 0) {
      const change = { wId, functionId, version, ...after.definition };
      await withCodeFaults(rpc.sandboxFunctions.update.mutate(change), after);
    }
    if (isArchived) await callServer(rpc.sandboxFunctions.restore.mutate({ wId, functionId }));
  },
  remove: async ({ rpc, wId }, { id }) => {
    await callServer(rpc.sandboxFunctions.archive.mutate({ wId, functionId: id }));
  },
};
