import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { TextField } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";

interface ConfirmDialogProps {
  /** What is done, as in “Delete the space”; the button says it too. */
  readonly title: string;
  /** What is lost. */
  readonly description: string;
  /** What has to be typed. */
  readonly word: string;
  /** The key of what it changes, as of a path of procedures: what was read of that is read again. */
  readonly changes?: readonly unknown[];
  /** Does it; what it rejects with is shown. */
  readonly onConfirm: (form: FormData) => Promise<unknown>;
  readonly onClose: () => void;
  /** Further fields. */
  readonly children?: ReactNode;
}

/** Asks for a word to be typed before something is done that cannot be undone. */
export function ConfirmDialog({
  title,
  description,
  word,
  changes = [],
  onConfirm,
  onClose,
  children,
}: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const confirming = useMutation({
    mutationKey: changes,
    mutationFn: onConfirm,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={title}
      description={description}
      submit={title}
      isDanger
      isDisabled={typed.trim() !== word.trim()}
      action={confirming}
      onSubmit={(form) => confirming.mutate(form)}
      onClose={onClose}
    >
      {children}
      <TextField
        label={`Type “${word}” to confirm`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  );
}
