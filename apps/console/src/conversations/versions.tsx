import { useQuery } from "@tanstack/react-query";
import type { AgentMessage } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Time } from "../ui/time.tsx";

interface VersionsProps {
  readonly conversationId: string;
  /** Id of one of the versions. */
  readonly messageId: string;
}

/** All versions of an answer, side by side, the newest first. */
export function Versions({ conversationId, messageId }: VersionsProps) {
  const wId = useWorkspaceId();
  const reading = useQuery(trpc.conversations.get.queryOptions({ wId, cId: conversationId }));
  return (
    <Loaded query={reading} label="the versions" lines={3}>
      {({ conversation }) => (
        <ol aria-label="Versions" className="grid gap-3 md:grid-cols-2">
          {conversation.content
            .find((versions) => versions.some(({ sId }) => sId === messageId))
            ?.filter((one): one is AgentMessage => one.type === "agent_message")
            .toReversed()
            .map((one) => (
              <li
                key={`${one.sId} ${one.version}`}
                className="min-w-0 rounded-md border border-line p-3"
              >
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
      )}
    </Loaded>
  );
}
