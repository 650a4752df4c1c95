import type { ContentFragment } from "parley-client";
import { hasScope } from "../api/access.ts";
import { useSession } from "../api/use-session.ts";
import { Download } from "../ui/download.tsx";
import { Icon } from "../ui/icon.tsx";

/** A file or a document that is part of a conversation. */
export function Fragment({ fragment }: { readonly fragment: ContentFragment }) {
  const { title, contentType } = fragment;
  const fileId = fragment.contentFragmentType === "file" ? fragment.fileId : null;
  const canRead = hasScope(useSession(), "files:read");
  return (
    <div className="ml-auto flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-3 py-1.5 text-sm">
      <Icon name="file" />
      <span className="min-w-0 font-medium">{title}</span>
      <span className="text-muted">{contentType}</span>
      {fileId !== null && canRead && <Download fileId={fileId} fileName={title} />}
    </div>
  );
}
