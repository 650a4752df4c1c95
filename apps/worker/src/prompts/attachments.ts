import {
  type FileOpener,
  type FilePart,
  type PromptFile,
  type StepRequest,
  takesFilesOfResults,
  type TextPart,
  textParts,
} from "@parley/agent";
import {
  type ActionRow,
  type HistoryRow,
  isFragmentOfFile,
  MAX_REQUEST_FILE_BYTES,
  type ModelFile,
  type ModelFiles,
  type PromptNote,
  type Turn,
} from "@parley/core";
import { essenceOf, type FileKind, type TakenFiles } from "@parley/schema";
import type { Documents } from "../documents/documents.ts";
import { newestFiles } from "./file-window.ts";
import { sniffFile } from "./sniff-file.ts";

/** Notes of one answer. */
const MAX_NOTES = 50;

/** What the files of a turn give its model. */
export interface TurnFiles {
  /** In place of the text of a fragment of the history, by its id. */
  readonly given: ReadonlyMap<string, readonly (TextPart | FilePart)[]>;
  /** Calls of the turn with the files of their outputs that the model is given. */
  withFiles(calls: StepRequest["finishedCalls"]): StepRequest["finishedCalls"];
  /** What it is not given as it was sent. */
  readonly notes: readonly PromptNote[];
  readonly openFiles: FileOpener;
}

/** A turn whose files are asked for. */
interface Asked {
  readonly workspaceId: number;
  readonly turn: Turn;
  readonly actions: readonly ActionRow[];
  readonly model: {
    readonly providerId: string;
    readonly modelId: string;
    readonly takes: readonly TakenFiles[];
  };
  /** Most characters of the prompt: texts of older files than fit are not extracted. */
  readonly maxCharacters: number;
  readonly signal: AbortSignal;
  /** Repeats work during an outage of the database. */
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface FileServices {
  readonly modelFiles: ModelFiles;
  readonly documents?: Documents | undefined;
}

/** A file where it stands: in a fragment, or in the output of a call. */
interface Standing {
  readonly fileId: string;
  readonly title: string;
  readonly fragment?: HistoryRow;
  readonly action?: ActionRow;
}

type Judged = Standing &
  (
    | { readonly file: ModelFile; readonly taken: TakenFiles; readonly contentType: string }
    | { readonly file: ModelFile | undefined; readonly code: string; readonly reason: string }
  );

/** Decides what a turn's model is given of its files. A turn without files costs nothing. */
export async function prepareFiles(services: FileServices, asked: Asked): Promise<TurnFiles> {
  const { workspaceId, turn, actions, model, retry } = asked;
  const { modelFiles } = services;
  const standing = [...turn.history.flatMap(fileOfFragment), ...actions.flatMap(filesOfCall)];
  const ids = [...new Set(standing.map(({ fileId }) => fileId))];
  const found = await retry(async () => modelFiles.find(workspaceId, ids));
  const judged = standing.map((one) => judge(one, found.get(one.fileId), model));
  const candidates = judged.flatMap((one) =>
    "taken" in one ? { one, ...one.taken, sizeBytes: one.file.sizeBytes } : [],
  );
  const sent = new Set(newestFiles(candidates, MAX_REQUEST_FILE_BYTES).map(({ one }) => one));
  const notes: PromptNote[] = [];
  const given = new Map<string, readonly (TextPart | FilePart)[]>();
  const ofCalls = new Map<string, FilePart[]>();
  const note = ({ fileId, title }: Standing, code: string, reason: string) => {
    const message = `${JSON.stringify(title)} was not given to ${model.modelId}: ${reason}`;
    notes.unshift({ code, fileId, title, message });
    return textParts(`[Not shown to you: ${reason}]`);
  };
  let left = asked.maxCharacters;
  // The newest first: of the older ones, only what fits is extracted.
  for (const one of judged.toReversed()) {
    const { fragment, action } = one;
    if ("taken" in one && sent.has(one)) {
      const part = toPart(services, asked, one);
      if (fragment !== undefined) given.set(fragment.sid, [part]);
      else if (action !== undefined) {
        const key = callKey({ step: action.step, id: action.functionCallId });
        ofCalls.set(key, [part, ...(ofCalls.get(key) ?? [])]);
      }
      continue;
    }
    if ("taken" in one) {
      if (fragment !== undefined) given.set(fragment.sid, textParts("[Not shown to you again]"));
      continue;
    }
    if (fragment !== undefined && left <= 0) {
      // The prompt is full before it comes to this one.
      given.set(fragment.sid, textParts("[Not shown to you]"));
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop -- how much is left decides about the next
    const text = fragment === undefined ? undefined : await textFor(services, asked, one);
    const parts =
      text !== undefined && "text" in text
        ? textParts(text.text)
        : note(one, text?.failure ?? one.code, text?.message ?? one.reason);
    left -= parts[0].text.length;
    if (fragment !== undefined) given.set(fragment.sid, parts);
  }
  const older = candidates.length - sent.size;
  if (older > 0) {
    const message = `${older} older files were named to ${model.modelId}, and not sent again`;
    notes.push({ code: "older_files", fileId: null, title: "", message });
  }
  const openFiles: FileOpener = async (files, signal) => {
    const wanted = new Map(files.map(({ fileId }) => [fileId, found.get(fileId)]));
    const held = await retry(async () =>
      modelFiles.hold(
        workspaceId,
        [...wanted.values()].flatMap((file) => file ?? []),
        signal,
      ),
    );
    return { bytesOf: ({ fileId }) => held.bytes.get(fileId), release: held.release };
  };
  const withFiles: TurnFiles["withFiles"] = (calls) =>
    calls.map((call) => {
      const files = ofCalls.get(callKey(call));
      return files === undefined ? call : { ...call, files };
    });
  return { given, withFiles, notes: notes.slice(-MAX_NOTES), openFiles };
}

const callKey = ({ step, id }: { readonly step: number; readonly id: string }) => `${step} ${id}`;

/** The text of a fragment that the model does not take as it is, or why there is none. */
async function textFor(
  { documents }: FileServices,
  { workspaceId, retry, signal }: Asked,
  { file, fileId }: Judged,
) {
  if (file === undefined || documents?.hasText(file.contentType) !== true) return undefined;
  const { sha256, contentType, fileName, sizeBytes } = file;
  const document = { workspaceId, fileId, sha256, contentType, fileName, sizeBytes };
  return retry(async () => documents.textOf(document, signal));
}

function toPart(
  { modelFiles }: FileServices,
  { workspaceId, retry }: Asked,
  { file, taken, contentType }: Extract<Judged, { taken: TakenFiles }>,
): FilePart {
  const { sid: fileId, fileName: name, sizeBytes, sha256 } = file;
  const read: PromptFile["read"] = async (signal) => {
    const held = await retry(async () => modelFiles.hold(workspaceId, [file], signal));
    const bytes = held.bytes.get(fileId);
    held.release();
    if (bytes === undefined) throw new Error(`The file ${fileId} was deleted`);
    return bytes;
  };
  const type = taken.kind === "image" ? "image" : "file";
  return { type, file: { fileId, name, contentType, sizeBytes, sha256, read } };
}

function fileOfFragment(row: HistoryRow): Standing[] {
  const { fragment } = row;
  if (fragment?.fileId == null || !isFragmentOfFile(fragment)) return [];
  return [{ fileId: fragment.fileId, title: fragment.title, fragment: row }];
}

/** The files that a call has made and that its output refers to: a server cannot name others. */
function filesOfCall(action: ActionRow): Standing[] {
  const { output, generatedFiles } = action;
  const referred = new Set(output?.map((part) => (part as { fileId?: unknown }).fileId));
  return (generatedFiles ?? []).flatMap(({ fileId, title, contentType }) => {
    const isMedia = kindOf(essenceOf(contentType)) !== undefined;
    return isMedia && fileId !== null && referred.has(fileId) ? [{ fileId, title, action }] : [];
  });
}

function kindOf(contentType: string): FileKind | undefined {
  if (contentType.startsWith("image/")) return "image";
  if (contentType.startsWith("audio/")) return "audio";
  return contentType === "application/pdf" ? "pdf" : undefined;
}

/** Whether a model takes a file as it is; or why not. */
function judge(
  standing: Standing,
  file: ModelFile | undefined,
  { providerId, takes }: Asked["model"],
): Judged {
  if (file === undefined) {
    return { ...standing, file, code: "file_deleted", reason: "the file was deleted" };
  }
  const declared = essenceOf(file.contentType).toLowerCase();
  const kind = kindOf(declared);
  const taken = takes.find((one) => one.kind === kind);
  const refuse = (code: string, reason: string) => ({ ...standing, file, code, reason });
  if (taken === undefined) {
    return refuse("file_type_not_taken", `the model does not take files of type ${declared}`);
  }
  if (standing.action !== undefined && !takesFilesOfResults(providerId)) {
    return refuse("file_type_not_taken", "the model does not take files that tools return");
  }
  const contentType = sniffFile(file.beginning);
  if (contentType === undefined || kindOf(contentType) !== kind) {
    return refuse("file_type_mismatch", `its content is not ${declared}`);
  }
  if (!taken.contentTypes.includes(contentType)) {
    return refuse("file_type_not_taken", `the model does not take files of type ${contentType}`);
  }
  if (file.sizeBytes > taken.maxBytes) {
    const limit = `the model takes at most ${taken.maxBytes}`;
    return refuse("file_too_large", `it has ${file.sizeBytes} bytes, and ${limit}`);
  }
  return { ...standing, file, taken, contentType };
}
