import { useMutation } from "@tanstack/react-query";
import { rpc } from "../api/clients.ts";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

interface CreateWorkspaceProps {
  /** Called with the name of the new workspace, and its first key. */
  readonly onCreate: (name: string, adminKey: string) => void;
  readonly onClose: () => void;
}

/** Creates a workspace. */
export function CreateWorkspace({ onCreate, onClose }: CreateWorkspaceProps) {
  const creating = useMutation({
    mutationFn: async (form: FormData) =>
      rpc.workspaces.create.mutate({ name: String(form.get("name")) }),
    onSuccess: ({ workspace, adminKey }) => onCreate(workspace.name, adminKey),
  });
  return (
    <FormDialog
      title="Create a workspace"
      description="It gets a first admin key, which is shown once."
      submit="Create"
      action={creating}
      onSubmit={(form) => creating.mutate(form)}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={255} autoComplete="off" />
    </FormDialog>
  );
}
