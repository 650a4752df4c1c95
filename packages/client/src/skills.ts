import { type FileContent, toBlob } from "./files.ts";
import type { Input } from "./methods.ts";
import { executableType } from "./schema-tables.ts";

/** Agent Skills folders, and options of their import. */
export type ImportSkillFolders = Input<"skills.import"> & {
  readonly files: readonly {
    /** With slashes; begins with the name of the skill's folder. */
    readonly path: string;
    readonly content: FileContent;
    /** Whether it is executable, such as a script; an export gives it so. */
    readonly isExecutable?: boolean | undefined;
  }[];
};

/** The form that imports skill folders. */
export function skillForm({ files, ...fields }: ImportSkillFolders): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value ?? ""));
  for (const { path, content, isExecutable } of files) {
    const blob = toBlob(content);
    form.append(
      "files",
      isExecutable === true ? new Blob([blob], { type: executableType }) : blob,
      path,
    );
  }
  return form;
}
