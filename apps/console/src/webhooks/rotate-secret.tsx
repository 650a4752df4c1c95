import { useMutation } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SelectField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

interface RotateSecretProps {
  readonly webhookId: string;
  readonly onRotate: (secret: string) => void;
  readonly onClose: () => void;
}

/** Gives a webhook a new secret; deliveries are also signed with the old one for a chosen time. */
export function RotateSecret({ webhookId, onRotate, onClose }: RotateSecretProps) {
  const wId = useWorkspaceId();
  const rotating = useMutation({
    mutationKey: trpc.webhooks.pathKey(),
    mutationFn: async (form: FormData) =>
      rpc.webhooks.rotateSecret.mutate({
        wId,
        webhookId,
        overlapSeconds: Number(form.get("overlapSeconds")),
      }),
    onSuccess: ({ secret }) => onRotate(secret),
  });
  return (
    <FormDialog
      title="Rotate secret"
      description="Deliveries are signed with the new secret, and with both for the time you choose."
      submit="Rotate"
      action={rotating}
      onSubmit={(form) => rotating.mutate(form)}
      onClose={onClose}
    >
      <SelectField label="Sign with both for" name="overlapSeconds" defaultValue="86400">
        <option value="3600">1 hour</option>
        <option value="86400">1 day</option>
        <option value="604800">7 days</option>
        <option value="0">No time</option>
      </SelectField>
    </FormDialog>
  );
}
