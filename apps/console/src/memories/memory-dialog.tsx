import { useMutation, useQuery } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Time } from "../ui/time.tsx";

interface MemoryDialogProps {
  readonly memoryId: string;
  readonly path: string;
  readonly onClose: () => void;
}

/** Changes the text of a file, below which its versions are. */
export function MemoryDialog({ memoryId, path, onClose }: MemoryDialogProps) {
  const wId = useWorkspaceId();
  const one = useQuery(trpc.memories.get.queryOptions({ wId, memoryId }));
  const saving = useMutation({
    mutationKey: trpc.memories.pathKey(),
    mutationFn: async ({ version, content }: { version: number; content: string }) =>
      rpc.memories.update.mutate({ wId, memoryId, version, content }),
    onSuccess: onClose,
  });
  if (one.data === undefined) {
    return (
      <Dialog title={path} isOpen onOpenChange={onClose}>
        <Loaded query={one} label="the file">
          {() => null}
        </Loaded>
      </Dialog>
    );
  }
  const { content, memory, versions } = one.data;
  return (
    <FormDialog
      title={path}
      submit="Save"
      action={saving}
      onClose={onClose}
      onSubmit={(form) =>
        saving.mutate({ version: memory.version, content: String(form.get("content")) })
      }
    >
      <TextArea label="Text" name="content" rows={10} defaultValue={content} />
      <ul aria-label="Versions" className="grid gap-1 text-sm text-muted">
        {versions.map(({ version, origin, createdAt }) => (
          <li key={version}>
            Version {version + 1}, <Time at={createdAt} />, by{" "}
            {origin.actionId === null ? "a person" : "the agent"}
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}
