import { useMutation } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import type { Trigger } from "./states.ts";
import type { NewSecret } from "./trigger-secret.tsx";

interface RotateSecretProps {
  readonly trigger: Trigger;
  readonly onRotate: (made: NewSecret) => void;
  readonly onClose: () => void;
}

/** Gives a trigger a new secret; the old one is accepted too for a chosen time. */
export function RotateSecret({ trigger, onRotate, onClose }: RotateSecretProps) {
  const wId = useWorkspaceId();
  const { sId: triggerId, name, source } = trigger;
  const rotating = useMutation({
    mutationKey: trpc.triggers.pathKey(),
    mutationFn: async (form: FormData) => {
      const given = String(form.get("secret") ?? "");
      return rpc.triggers.rotateSecret.mutate({
        wId,
        triggerId,
        overlapSeconds: Number(form.get("overlapSeconds")),
        ...(given !== "" && { secret: given }),
      });
    },
    onSuccess: ({ secret, url }) => onRotate({ name, secret, url }),
  });
  return (
    <FormDialog
      title="Rotate secret"
      description="Events are accepted with the new secret, and with both for the time you choose."
      submit="Rotate"
      action={rotating}
      onSubmit={(form) => rotating.mutate(form)}
      onClose={onClose}
    >
      {source.type !== "url" && (
        <TextField
          label="Secret of the service"
          name="secret"
          type="password"
          minLength={8}
          maxLength={255}
          autoComplete="off"
          hint="If the service makes it, as Stripe and Slack do. Leave empty for a new one."
        />
      )}
      <SelectField label="Accept both for" name="overlapSeconds" defaultValue="86400">
        <option value="3600">1 hour</option>
        <option value="86400">1 day</option>
        <option value="604800">7 days</option>
        <option value="0">No time</option>
      </SelectField>
    </FormDialog>
  );
}
