import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { useToast } from "./toast.tsx";

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** Further notes about it. */
  readonly children?: ReactNode;
}

/** Shows a secret once, to be copied. A click outside does not close the dialog. */
export function SecretDialog({ title, secret, onClose, children }: SecretDialogProps) {
  const say = useToast();
  const copy = async () =>
    navigator.clipboard.writeText(secret).then(
      () => say("Copied"),
      () => say("The browser blocked copying: select the text"),
    );
  return (
    <Dialog
      title={title}
      description="Copy it now. It is shown only once and cannot be read from the server."
      isOpen
      isKept
      onOpenChange={onClose}
    >
      <TextField
        label="Secret"
        readOnly
        spellCheck={false}
        value={secret}
        className="font-mono text-sm"
        onFocus={(event) => event.target.select()}
      />
      {children}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={() => void copy()}>
          <Icon name="copy" />
          Copy
        </Button>
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}
