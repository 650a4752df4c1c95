import { useMutation } from "@tanstack/react-query";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CheckField, TextArea, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import type { ShownTool } from "./read-tool.ts";

interface NameFormProps {
  readonly shown: ShownTool;
  readonly onChange: (name: string) => void;
  readonly onClose: () => void;
}

/** Changes the name and description of a tool, and who can use it. */
export function NameForm({ shown: { tool, version }, onChange, onClose }: NameFormProps) {
  const wId = useWorkspaceId();
  const saving = useMutation(
    trpc.tools.update.mutationOptions({ onSuccess: (changed) => onChange(changed.tool.name) }),
  );
  return (
    <FormDialog
      title={`Edit ${tool.name}`}
      submit="Save"
      action={saving}
      onSubmit={(form) =>
        saving.mutate({
          wId,
          toolId: tool.sId,
          version,
          name: String(form.get("name")),
          description: String(form.get("description")),
          isRestrictedToSkills: form.get("isRestrictedToSkills") !== null,
        })
      }
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={255} defaultValue={tool.name} />
      <TextArea
        label="Description"
        name="description"
        rows={3}
        maxLength={4096}
        defaultValue={tool.description}
      />
      <CheckField
        label="Only for skills"
        name="isRestrictedToSkills"
        defaultChecked={tool.isRestrictedToSkills}
      />
    </FormDialog>
  );
}
