import { type FileContent, toBlob } from "./files.ts";
import type { Input } from "./methods.ts";

/** Agent Skills folders, and options of their import. */
export type ImportSkillFolders = Input<"skills.import"> & {
  readonly files: readonly {
    /** With slashes; begins with the name of the skill's folder. */
    readonly path: string;
    readonly content: FileContent;
  }[];
};

/** The form that imports skill folders. */
export function skillForm({ files, ...fields }: ImportSkillFolders): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value ?? ""));
  for (const { path, content } of files) form.append("files", toBlob(content), path);
  return form;
}
