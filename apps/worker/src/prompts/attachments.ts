import {
  type FileOpener,
  type FilePart,
  type PromptFile,
  type StepRequest,
  type TextPart,
  textParts,
} from "@parley/agent";
import {
  type ActionRow,
  MAX_REQUEST_FILE_BYTES,
  type ModelFiles,
  type PromptNote,
  type Turn,
} from "@parley/core";
import type { TakenFiles } from "@parley/schema";
import type { Documents } from "../documents/documents.ts";
import { newestFiles } from "./file-window.ts";
import { type JudgedFile, judgeFiles, toDocument } from "./judge-files.ts";
import { callKey, type StandingFile, standingFiles } from "./standing-files.ts";

/** Notes of one answer. */
const MAX_NOTES = 50;

/** What the files of a turn give its model. */
export interface TurnFiles {
  /** In place of the text of a fragment of the history, by its id. */
  readonly given: ReadonlyMap<string, readonly (TextPart | FilePart)[]>;
  /** Calls of an answer, by default the turn's own, with the files of their outputs that the model is given. */
  withFiles(calls: StepRequest["finishedCalls"], answerId?: string): StepRequest["finishedCalls"];
  /** What it is not given as it was sent. */
  readonly notes: readonly PromptNote[];
  readonly openFiles: FileOpener;
}

/** A turn whose files are asked for. */
interface Asked {
  readonly workspaceId: number;
  readonly turn: Turn;
  readonly actions: readonly ActionRow[];
  /** Whether the prompt has the calls of earlier answers. */
  readonly givesCalls: boolean;
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
  /** The same for work that waits for places too: for memory, and for processes that read documents. */
  readonly retryLong: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface FileServices {
  readonly modelFiles: ModelFiles;
  readonly documents: Documents;
}

/** Decides what a turn's model is given of its files. A turn without files costs nothing. */
export async function prepareFiles(services: FileServices, asked: Asked): Promise<TurnFiles> {
  const { workspaceId, turn, model, retry, retryLong } = asked;
  const { modelFiles } = services;
  const standing = standingFiles(turn, asked);
  const ids = [...new Set(standing.map(({ fileId }) => fileId))];
  const found = await retry(async () => modelFiles.find(workspaceId, ids));
  const judged = await judgeFiles(standing, { ...services, ...asked, found });
  const candidates = judged.flatMap((one) =>
    "taking" in one ? { one, ...one.taking.limits, ...sizeOf(one.file) } : [],
  );
  const sent = new Set(newestFiles(candidates, MAX_REQUEST_FILE_BYTES).map(({ one }) => one));
  const notes: PromptNote[] = [];
  const given = new Map<string, readonly (TextPart | FilePart)[]>();
  const ofCalls = new Map<string, FilePart[]>();
  const note = ({ fileId, title }: StandingFile, code: string, reason: string) => {
    const message = `${JSON.stringify(title)} was not given to ${model.modelId}: ${reason}`;
    notes.unshift({ code, fileId, title, message });
  };
  let left = asked.maxCharacters;
  // The newest first: of the older ones, only what fits is extracted.
  for (const one of judged.toReversed()) {
    const { fragment, call } = one.standing;
    if ("taking" in one && sent.has(one)) {
      const part = toPart(services, asked, one);
      if (fragment !== undefined) given.set(fragment, [part]);
      else if (call !== undefined) {
        ofCalls.set(callKey(call), [part, ...(ofCalls.get(callKey(call)) ?? [])]);
      }
      continue;
    }
    if ("taking" in one) {
      if (fragment !== undefined) given.set(fragment, textParts("[Not shown to you again]"));
      continue;
    }
    if (fragment !== undefined && left <= 0) {
      // The prompt is full before it comes to this one.
      given.set(fragment, textParts("[Not shown to you]"));
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop -- how much is left decides about the next
    const { text, code, reason } = await replaceFile(services, asked, one);
    if (code !== undefined) note(one.standing, code, reason);
    const parts = textParts(text ?? `[Not shown to you: ${reason}]`);
    left -= parts[0].text.length;
    if (fragment !== undefined) given.set(fragment, parts);
  }
  const older = candidates.length - sent.size;
  if (older > 0) {
    const message = `${older} older files were named to ${model.modelId}, and not sent again`;
    notes.push({ code: "older_files", fileId: null, title: "", message });
  }
  const openFiles: FileOpener = async (files, signal) => {
    const wanted = new Map(files.map(({ fileId }) => [fileId, found.get(fileId)]));
    const held = await retryLong(async () =>
      modelFiles.hold(
        workspaceId,
        [...wanted.values()].flatMap((file) => file ?? []),
        signal,
      ),
    );
    return { bytesOf: ({ fileId }) => held.bytes.get(fileId), release: held.release };
  };
  const withFiles: TurnFiles["withFiles"] = (calls, answerId = turn.message.sid) =>
    calls.map((call) => {
      const files = ofCalls.get(callKey({ ...call, answerId }));
      return files === undefined ? call : { ...call, files };
    });
  return { given, withFiles, notes: notes.slice(-MAX_NOTES), openFiles };
}

/** Pages that were not counted are of a file that is too old to be sent. */
const sizeOf = ({ sizeBytes, pages }: { sizeBytes: number; pages: number | null }) => ({
  sizeBytes,
  pages: pages ?? 0,
});

/** What stands in place of a file, and what is said of it: nothing where its text is how the model takes it. */
type Replacement =
  | { readonly text: string; readonly code: undefined; readonly reason: "" }
  | { readonly text: string | undefined; readonly code: string; readonly reason: string };

async function replaceFile(
  services: FileServices,
  asked: Asked,
  one: Extract<JudgedFile, { refusal: object }>,
): Promise<Replacement> {
  const { code, reason, isBeyond } = one.refusal;
  const text =
    one.standing.fragment === undefined ? undefined : await textFor(services, asked, one);
  if (text === undefined) return { text, code, reason };
  if ("text" in text) {
    if (isBeyond === undefined) return { text: text.text, code: undefined, reason: "" };
    return { text: text.text, code, reason: `${reason}; its text was given instead` };
  }
  const { failure, message } = text;
  if (isBeyond === undefined || failure === code)
    return { text: undefined, code: failure, reason: message };
  return { text: undefined, code, reason: `${reason}; ${message}` };
}

/** The text of a fragment that the model does not take as it is, or why there is none. */
async function textFor(
  { documents }: FileServices,
  { workspaceId, retryLong, signal }: Asked,
  { file }: Extract<JudgedFile, { refusal: object }>,
) {
  if (file === undefined || !documents.hasText(file.contentType)) return undefined;
  return retryLong(async () => documents.textOf(toDocument(workspaceId, file), signal));
}

function toPart(
  { modelFiles }: FileServices,
  { workspaceId, retryLong }: Asked,
  { file, taking }: Extract<JudgedFile, { taking: object }>,
): FilePart {
  const { sid: fileId, fileName: name, sizeBytes, sha256 } = file;
  const read: PromptFile["read"] = async (signal) => {
    const held = await retryLong(async () => modelFiles.hold(workspaceId, [file], signal));
    const bytes = held.bytes.get(fileId);
    held.release();
    if (bytes === undefined) throw new Error(`The file ${fileId} was deleted`);
    return bytes;
  };
  const { contentType } = taking;
  const type = taking.limits.kind === "image" ? "image" : "file";
  return { type, file: { fileId, name, contentType, sizeBytes, sha256, read } };
}
