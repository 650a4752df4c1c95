import { useQuery } from "@tanstack/react-query";
import type { AgentMessage } from "parley-client";
import { useClients } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";

interface VersionsProps {
  readonly conversationId: string;
  /** Id of one of the versions. */
  readonly messageId: string;
}

/** All versions of an answer, side by side, the newest first. */
export function Versions({ conversationId, messageId }: VersionsProps) {
  const { parley } = useClients();
  const { data, error } = useQuery({
    queryKey: ["conversation", conversationId, "versions", messageId],
    queryFn: async ({ signal }) => {
      const { conversation } = await parley.conversations.get({ conversationId }, { signal });
      const versions = conversation.content.find((one) => one.some(({ sId }) => sId === messageId));
      return versions?.filter((one): one is AgentMessage => one.type === "agent_message") ?? [];
    },
  });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Skeleton label="the versions" lines={3} />;
  return (
    <ol aria-label="Versions" className="grid gap-3 md:grid-cols-2">
      {data.toReversed().map((one) => (
        <li key={`${one.sId} ${one.version}`} className="min-w-0 rounded-md border border-line p-3">
          <p className="mb-2 flex flex-wrap gap-2 text-sm text-muted">
            Version {one.version + 1}
            <Time at={one.created} />
            <StatusBadge status={one.status} />
          </p>
          <Markdown text={one.content} />
          {one.error !== null && <p className="text-bad">{one.error.message}</p>}
        </li>
      ))}
    </ol>
  );
}
