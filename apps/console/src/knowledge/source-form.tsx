import { useMutation } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

interface SourceFormProps {
  readonly spaces: Output<"spaces.list">["spaces"];
  /** The space chosen at first. */
  readonly spaceId: string | undefined;
  readonly onCreate: (view: Output<"dataSourceViews.create">["dataSourceView"]) => Promise<void>;
  readonly onClose: () => void;
}

/** Creates a data source in a space. */
export function SourceForm({ spaces, spaceId, onCreate, onClose }: SourceFormProps) {
  const wId = useWorkspaceId();
  const creating = useMutation(
    trpc.dataSourceViews.create.mutationOptions({
      onSuccess: async ({ dataSourceView }) => onCreate(dataSourceView),
    }),
  );
  return (
    <FormDialog
      title="Create data source"
      submit="Create"
      action={creating}
      onSubmit={(form) =>
        creating.mutate({
          wId,
          spaceId: String(form.get("spaceId")),
          name: String(form.get("name")),
          description: String(form.get("description")).trim() || undefined,
        })
      }
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={255} autoComplete="off" />
      <SelectField
        label="Space"
        name="spaceId"
        required
        defaultValue={spaceId ?? spaces[0]?.sId}
        hint={spaces.length === 0 ? "No spaces yet. Ask an admin to create one." : undefined}
      >
        {spaces.map(({ sId, name, isRestricted }) => (
          <option key={sId} value={sId}>
            {isRestricted ? `${name} (restricted)` : name}
          </option>
        ))}
      </SelectField>
      <TextArea
        label="Description"
        name="description"
        rows={3}
        maxLength={2048}
        hint="Helps agents and people choose."
      />
    </FormDialog>
  );
}
