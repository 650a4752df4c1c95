import { UsageCounts } from "../administration/usage-counts.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface UsageDialogProps {
  readonly workspace: { readonly sId: string; readonly name: string };
  readonly onClose: () => void;
}

/** What a workspace holds. */
export function UsageDialog({ workspace: { sId: wId, name }, onClose }: UsageDialogProps) {
  return (
    <Dialog title={`Usage of ${name}`} isOpen onOpenChange={onClose}>
      <UsageCounts wId={wId} />
    </Dialog>
  );
}
