import {
  type ActionRow,
  fileKindOf,
  type HistoryRow,
  isFragmentOfFile,
  type Turn,
} from "@parley/core";
import { essenceOf } from "@parley/schema";
import { closedCalls } from "./history.ts";

/** A call, by the answer that it is of. */
interface CallPlace {
  readonly answerId: string;
  readonly step: number;
  /** Its id for the model, which only its step has once. */
  readonly id: string;
}

/** A file where it stands: in a fragment, or in the output of a call. */
export interface StandingFile {
  readonly fileId: string;
  readonly title: string;
  /** The fragment's id. */
  readonly fragment?: string;
  readonly call?: CallPlace;
}

/** A call as the key of a map. */
export const callKey = ({ answerId, step, id }: CallPlace): string => `${answerId} ${step} ${id}`;

/** The files of a turn's prompt, the oldest first; those of earlier answers if it gives their calls. */
export function standingFiles(
  { history, message }: Pick<Turn, "history"> & { readonly message: { readonly sid: string } },
  { actions, givesCalls }: { readonly actions: readonly ActionRow[]; readonly givesCalls: boolean },
): StandingFile[] {
  const earlier = history.flatMap((row) => [
    ...fileOfFragment(row),
    ...(givesCalls ? filesOfAnswer(row) : []),
  ]);
  return [...earlier, ...actions.flatMap((action) => filesOfAction(action, message.sid))];
}

function fileOfFragment({ sid, fragment }: HistoryRow): StandingFile[] {
  if (fragment?.fileId == null || !isFragmentOfFile(fragment)) return [];
  return [{ fileId: fragment.fileId, title: fragment.title, fragment: sid }];
}

function filesOfAnswer({ sid: answerId, called }: HistoryRow): StandingFile[] {
  if (called === null) return [];
  return closedCalls(called).flatMap(({ id, step, files }) =>
    filesOfCall(files, { answerId, step, id }),
  );
}

/** The files that a call has made and that its output refers to: a server cannot name others. */
function filesOfAction(action: ActionRow, answerId: string): StandingFile[] {
  const { output, generatedFiles, step, functionCallId: id } = action;
  const referred = new Set(output?.map((part) => (part as { fileId?: unknown }).fileId));
  const made = generatedFiles?.filter(({ fileId }) => referred.has(fileId)) ?? null;
  return filesOfCall(made, { answerId, step, id });
}

function filesOfCall(
  made: readonly { readonly fileId: string | null; title: string; contentType: string }[] | null,
  call: CallPlace,
): StandingFile[] {
  return (made ?? []).flatMap(({ fileId, title, contentType }) => {
    const isMedia = fileKindOf(essenceOf(contentType)) !== undefined;
    return isMedia && fileId !== null ? [{ fileId, title, call }] : [];
  });
}
