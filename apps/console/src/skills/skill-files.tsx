import { useMutation } from "@tanstack/react-query";
import type { Skill } from "parley-client";
import { useRef, useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useParley, useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Download } from "../ui/download.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";

/** A skill as shown; builders and higher also get its version, which changes must name. */
export interface ShownSkill {
  readonly skill: Skill;
  readonly version?: number;
}

interface SkillFilesProps {
  readonly shown: ShownSkill;
  readonly canChange: boolean;
}

interface Attached {
  readonly fileId: string;
  readonly fileName: string;
}

/** The files of a skill: download, add and remove them, and restore removed ones. */
export function SkillFiles({ shown, canChange }: SkillFilesProps) {
  const parley = useParley();
  const wId = useWorkspaceId();
  const { skill, version = 0 } = shown;
  const files = skill.fileAttachments;
  const [removed, setRemoved] = useState<readonly Attached[]>([]);
  const picker = useRef<HTMLInputElement>(null);
  const ids = files.map(({ fileId }) => fileId);
  const mutationKey = trpc.skills.pathKey();
  const change = async (fileIds: readonly string[]) =>
    rpc.skills.update.mutate({ wId, skillId: skill.sId, version, fileIds: [...fileIds] });
  const adding = useMutation({
    mutationKey,
    mutationFn: async (chosen: readonly File[]) => {
      const added: string[] = [];
      for (const file of chosen) {
        const upload = { content: file, fileName: file.name, useCase: "skill_attachment" };
        added.push((await parley.files.upload(upload)).file.sId);
      }
      await change([...ids, ...added]);
    },
  });
  const removing = useMutation({
    mutationKey,
    mutationFn: async (file: Attached) => {
      await change(ids.filter((id) => id !== file.fileId));
      setRemoved((all) => [...all, file]);
    },
  });
  const restoring = useMutation({
    mutationKey,
    mutationFn: async (file: Attached) => {
      await change([...ids, file.fileId]);
      setRemoved((all) => all.filter((one) => one.fileId !== file.fileId));
    },
  });
  const error = adding.error ?? removing.error ?? restoring.error;
  const isBusy = adding.isPending || removing.isPending || restoring.isPending;
  if (files.length === 0 && !canChange) return null;
  return (
    <section aria-label="Files" className="grid justify-items-start gap-2">
      <h2 className="font-semibold">Files</h2>
      {files.length === 0 && <p className="text-muted">No files.</p>}
      <ul className="grid gap-1">
        {files.map((file) => (
          <li key={file.fileId} className="flex flex-wrap items-center gap-2">
            <span>{file.fileName}</span>
            <Download fileId={file.fileId} fileName={file.fileName} />
            {canChange && (
              <Button
                isSmall
                of={file.fileName}
                isBusy={isBusy}
                onClick={() => removing.mutate(file)}
              >
                Remove
              </Button>
            )}
          </li>
        ))}
        {removed.map((file) => (
          <li key={file.fileId} className="flex flex-wrap items-center gap-2">
            <s className="text-muted">{file.fileName}</s>
            <Button
              isSmall
              of={file.fileName}
              isBusy={isBusy}
              onClick={() => restoring.mutate(file)}
            >
              Restore
            </Button>
          </li>
        ))}
      </ul>
      {canChange && (
        <>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              adding.mutate([...(event.target.files ?? [])]);
              event.target.value = "";
            }}
          />
          <Button isBusy={isBusy} onClick={() => picker.current?.click()}>
            Add files
          </Button>
        </>
      )}
      {error && <ErrorNotice error={error} />}
    </section>
  );
}
