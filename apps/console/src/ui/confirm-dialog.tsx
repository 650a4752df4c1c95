import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { TextField } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";

interface ConfirmDialogProps {
  /** The action, as in “Delete space”; also the label of the button. */
  readonly title: string;
  /** What is lost. */
  readonly description: string;
  /** The word to type. */
  readonly word: string;
  /** Key of the queries that it changes, which are refreshed. */
  readonly changes?: readonly unknown[];
  /** Performs the action; a rejection is shown. */
  readonly onConfirm: (form: FormData) => Promise<unknown>;
  readonly onClose: () => void;
  /** Further fields. */
  readonly children?: ReactNode;
}

/** Asks for a word to be typed before an action that cannot be undone. */
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
