import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { SelectField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

/** The new secret of a rotated key. */
export interface Rotated {
  readonly secret: string;
  readonly previousSecretExpiresAt: number;
}

interface RotateDialogProps {
  /** Name of the key. */
  readonly name: string;
  readonly rotate: (overlapSeconds: number, form: FormData) => Promise<Rotated>;
  readonly onRotate: (rotated: Rotated) => void;
  readonly onClose: () => void;
  /** Further fields. */
  readonly children?: ReactNode;
}

/** Gives a key a new secret, and keeps the old one valid for a chosen time. */
export function RotateDialog({ name, rotate, onRotate, onClose, children }: RotateDialogProps) {
  const rotating = useMutation({
    mutationFn: async (form: FormData) => rotate(Number(form.get("overlapSeconds")), form),
    onSuccess: onRotate,
  });
  return (
    <FormDialog
      title={`Rotate ${name}`}
      description="The key gets a new secret. The old secret, and sessions opened with it, end after the time you choose."
      submit="Rotate"
      action={rotating}
      onSubmit={(form) => rotating.mutate(form)}
      onClose={onClose}
    >
      <SelectField label="Keep the old secret valid for" name="overlapSeconds" defaultValue="3600">
        <option value="3600">1 hour</option>
        <option value="86400">1 day</option>
        <option value="604800">7 days</option>
        <option value="0">Revoke immediately</option>
      </SelectField>
      {children}
    </FormDialog>
  );
}
