import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNotice } from "./error-notice.tsx";

interface FormDialogProps {
  readonly title: string;
  readonly description?: string;
  /** The label of the submit button. */
  readonly submit: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  /** The mutation that submitting runs. */
  readonly action: { readonly isPending: boolean; readonly error: unknown };
  readonly onSubmit: (form: FormData) => void;
  readonly onClose: () => void;
  /** The fields. */
  readonly children?: ReactNode;
}

/** A dialog with a form, which stays open and shows the error if submitting fails. */
export function FormDialog({
  submit,
  isDanger = false,
  isDisabled = false,
  action,
  onSubmit,
  onClose,
  children,
  ...dialog
}: FormDialogProps) {
  return (
    <Dialog {...dialog} isOpen onOpenChange={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          // A form around it in the tree of components must not be submitted too.
          event.stopPropagation();
          onSubmit(new FormData(event.currentTarget));
        }}
      >
        {children}
        {action.error !== null && <ErrorNotice error={action.error} />}
        <Button
          type="submit"
          variant={isDanger ? "danger" : "primary"}
          disabled={isDisabled}
          isBusy={action.isPending}
        >
          {submit}
        </Button>
      </form>
    </Dialog>
  );
}
