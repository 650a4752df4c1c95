import { announcedType } from "@parley/schema/accepted-types";
import { useCallback, useState } from "react";
import { useParley } from "../api/use-session.ts";

/** A file to send with a message. */
export interface Attachment {
  readonly id: number;
  readonly title: string;
  readonly state: "uploading" | "ready" | "failed";
  readonly fileId?: string;
  readonly error?: unknown;
}

/** Files that can be added at once, at most. */
const MAX_FILES = 20;

/** The files of a draft, uploaded as soon as they are chosen. */
export function useAttachments() {
  const parley = useParley();
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const change = useCallback((id: number, changed: Partial<Attachment>) => {
    setAttachments((all) => all.map((one) => (one.id === id ? { ...one, ...changed } : one)));
  }, []);
  const add = useCallback(
    async (files: readonly File[]) => {
      const added = files.slice(0, MAX_FILES).map((file) => ({ file, id: nextId++ }));
      setAttachments((all) => [
        ...all,
        ...added.map(({ file, id }) => ({ id, title: file.name, state: "uploading" as const })),
      ]);
      for (const { file, id } of added) {
        await parley.files
          .upload({ content: file, fileName: file.name, contentType: typeOf(file) })
          .then(
            (answer) => change(id, { state: "ready", fileId: answer.file.sId }),
            (error: unknown) => change(id, { state: "failed", error }),
          );
      }
    },
    [parley, change],
  );
  const remove = (id: number) => setAttachments((all) => all.filter((one) => one.id !== id));
  return { attachments, add, remove, clear: () => setAttachments([]) };
}

let nextId = 0;

/** The content type of a file; browsers do not know the types of most text files. */
function typeOf({ name, type }: File): string {
  if (type !== "") return announcedType(type);
  return /\.(?:md|txt|csv|json|ya?ml|ts|tsx|js|jsx|py|rs|go|java|sql|sh|toml|log)$/i.test(name)
    ? "text/plain"
    : announcedType("");
}
