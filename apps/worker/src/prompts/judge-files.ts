import { takesFilesOfResults } from "@parley/agent";
import { beyondLimits, fileKindOf, type ModelFile, type ModelFiles } from "@parley/core";
import { essenceOf, type FileKind, type TakenFiles } from "@parley/schema";
import type { DocumentFile, Documents } from "../documents/documents.ts";
import { sniffFile } from "./sniff-file.ts";
import type { StandingFile } from "./standing-files.ts";

/** How a model takes a file. */
interface Taking {
  readonly limits: TakenFiles;
  /** As the content shows it. */
  readonly contentType: string;
}

/** Why a model does not take a file. */
interface Refusal {
  readonly code: string;
  readonly reason: string;
  /** Whether it takes such files, but smaller ones. */
  readonly isBeyond?: true;
}

export type JudgedFile =
  | { readonly standing: StandingFile; readonly file: ModelFile; readonly taking: Taking }
  /** Without a file if it was deleted. */
  | { readonly standing: StandingFile; readonly file?: ModelFile; readonly refusal: Refusal };

interface Judging {
  readonly workspaceId: number;
  readonly model: { readonly providerId: string; readonly takes: readonly TakenFiles[] };
  /** Those of the files that are there, by their ids. */
  readonly found: ReadonlyMap<string, ModelFile>;
  readonly modelFiles: Pick<ModelFiles, "measureImage">;
  readonly documents: Pick<Documents, "pagesOf">;
  readonly signal: AbortSignal;
  /** Repeats work during an outage of the database. */
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
  /** The same for work that waits for places too. */
  readonly retryLong: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Says of each file whether the model takes it as it is, or why not. What a limit needs is measured, the newest files
 * first, until there are as many of a kind as a request has at most: an older one is not sent.
 */
export async function judgeFiles(
  standing: readonly StandingFile[],
  judging: Judging,
): Promise<JudgedFile[]> {
  const measured = new Map<string, Promise<ModelFile | Refusal>>();
  const counts = new Map<FileKind, number>();
  const judge = async (one: StandingFile): Promise<JudgedFile> => {
    const file = judging.found.get(one.fileId);
    if (file === undefined) {
      const refusal = { code: "file_deleted", reason: "the file was deleted" };
      return { standing: one, refusal };
    }
    const taking = judgeType(one, file, judging.model);
    if ("code" in taking) return { standing: one, file, refusal: taking };
    const { kind, maxCount } = taking.limits;
    const count = counts.get(kind) ?? 0;
    const isSettled = count >= maxCount || beyondLimits(file, taking.limits) !== undefined;
    const seen = isSettled
      ? file
      : await measured.getOrInsertComputed(one.fileId, async () => measure(file, taking, judging));
    const refusal = "code" in seen ? seen : beyondLimits(seen, taking.limits);
    if (refusal !== undefined) {
      return { standing: one, file, refusal: { ...refusal, isBeyond: true } };
    }
    counts.set(kind, count + 1);
    return { standing: one, file: "code" in seen ? file : seen, taking };
  };
  const judged: JudgedFile[] = [];
  // oxlint-disable-next-line no-await-in-loop -- whether an older one is measured depends on the newer ones
  for (const one of standing.toReversed()) judged.push(await judge(one));
  return judged.toReversed();
}

/** Whether a model takes files of a type, and this is one. */
function judgeType(
  { call }: StandingFile,
  file: ModelFile,
  { providerId, takes }: Judging["model"],
): Taking | Refusal {
  const declared = essenceOf(file.contentType).toLowerCase();
  const kind = fileKindOf(declared);
  const limits = takes.find((taken) => taken.kind === kind);
  const refuse = (code: string, reason: string): Refusal => ({ code, reason });
  if (limits === undefined) {
    return refuse("file_type_not_taken", `the model does not take files of type ${declared}`);
  }
  if (call !== undefined && !takesFilesOfResults(providerId)) {
    return refuse("file_type_not_taken", "the model does not take files that tools return");
  }
  const contentType = sniffFile(file.beginning);
  if (contentType === undefined || fileKindOf(contentType) !== kind) {
    return refuse("file_type_mismatch", `its content is not ${declared}`);
  }
  if (!limits.contentTypes.includes(contentType)) {
    return refuse("file_type_not_taken", `the model does not take files of type ${contentType}`);
  }
  return { limits, contentType };
}

/** The file with what its limits need; or why that cannot be found. */
async function measure(
  file: ModelFile,
  { limits }: Taking,
  { workspaceId, modelFiles, documents, signal, retry, retryLong }: Judging,
): Promise<ModelFile | Refusal> {
  if (limits.maxSidePixels !== null) return retry(async () => modelFiles.measureImage(file));
  if (limits.maxPages === null || file.pages !== null) return file;
  const document = toDocument(workspaceId, file);
  const counted = await retryLong(async () => documents.pagesOf(document, signal));
  if ("pages" in counted) return { ...file, ...counted };
  return { code: counted.failure, reason: `its pages cannot be counted: ${counted.message}` };
}

/** A stored file as a document. */
export function toDocument(workspaceId: number, file: ModelFile): DocumentFile {
  const { sid: fileId, sha256, contentType, fileName, sizeBytes } = file;
  return { workspaceId, fileId, sha256, contentType, fileName, sizeBytes };
}
