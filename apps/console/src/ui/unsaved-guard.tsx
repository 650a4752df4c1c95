import { useBlocker } from "@tanstack/react-router";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks before a page with unsaved changes is left. */
export function UnsavedGuard({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  if (status !== "blocked") return null;
  return (
    <Dialog
      title="Leave without saving?"
      description="Your changes are not saved."
      isOpen
      onOpenChange={reset}
    >
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={reset}>
          Stay
        </Button>
        <Button onClick={proceed}>Leave</Button>
      </div>
    </Dialog>
  );
}
