import { useMutation } from "@tanstack/react-query";
import { ExpiryField, expiryIn } from "../administration/expiry-field.tsx";
import { rpc } from "../api/clients.ts";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

interface OperatorKeyFormProps {
  readonly onCreate: (name: string, secret: string) => void;
  readonly onClose: () => void;
}

/** Creates an operator key. */
export function OperatorKeyForm({ onCreate, onClose }: OperatorKeyFormProps) {
  const creating = useMutation({
    mutationFn: async (form: FormData) =>
      rpc.operatorKeys.create.mutate({ name: String(form.get("name")), expiresAt: expiryIn(form) }),
    onSuccess: ({ operatorKey, secret }) => onCreate(operatorKey.name, secret),
  });
  return (
    <FormDialog
      title="Create an operator key"
      description="It administers every workspace of the server. Give each operator one of their own."
      submit="Create"
      action={creating}
      onSubmit={(form) => creating.mutate(form)}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={255} autoComplete="off" />
      <ExpiryField />
    </FormDialog>
  );
}
