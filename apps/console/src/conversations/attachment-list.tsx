import { describeFailure } from "../api/failures.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Attachment } from "./use-attachments.ts";

interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (id: number) => void;
}

/** The files of a message, with the state of their uploads. */
export function AttachmentList({ attachments, onRemove }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-2">
      {attachments.map(({ id, title, state, error }) => (
        <li
          key={id}
          className="flex max-w-full items-center gap-1.5 rounded-md border border-line bg-surface pl-2 text-sm"
        >
          <Icon name="file" />
          <span className="min-w-0">
            <span className="block truncate">{title}</span>
            {state === "uploading" && <span className="text-muted">uploading …</span>}
            {state === "failed" && (
              <span role="alert" className="text-bad">
                upload failed: {describeFailure(error).message}
              </span>
            )}
          </span>
          <IconButton label={`Remove ${title}`} isSmall onClick={() => onRemove(id)}>
            <Icon name="close" />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
