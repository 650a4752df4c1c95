import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ConversationMenu } from "./conversation-menu.tsx";
import { Summaries } from "./summaries.tsx";
import { Talk } from "./talk.tsx";
import { Tasks } from "./tasks.tsx";

const Timeline = lazy(async () => ({ default: (await import("./timeline.tsx")).Timeline }));
const RawEvents = lazy(async () => ({ default: (await import("./raw-events.tsx")).RawEvents }));

const tabs = { talk: "Talk", timeline: "Timeline", events: "Events" } as const;

/** One conversation, with tabs to talk, for its timeline and for its events. */
export function ConversationPage() {
  const { conversationId } = useParams({ from: "/session/conversations/$conversationId" });
  const { view = "talk" } = useSearch({ from: "/session/conversations/$conversationId" });
  const navigate = useNavigate({ from: "/conversations/$conversationId" });
  const wId = useWorkspaceId();
  // Only title and state are needed: the limit keeps the content small.
  const input = { wId, cId: conversationId, limit: 1 };
  const { data, error, refetch } = useQuery(trpc.conversations.get.queryOptions(input));
  useMarkAsRead(conversationId, data?.conversation.unread === true);
  if (isNotFound(error)) return <NotFoundPage />;
  const title = data?.conversation.title;
  return (
    <Page
      title={title === undefined || title === "" ? "Conversation" : title}
      actions={data && <ConversationMenu conversation={data.conversation} />}
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Tabs
        label="Conversation views"
        tabs={tabs}
        value={view}
        onChange={(next) =>
          void navigate({ search: { view: next === "talk" ? undefined : next, log: undefined } })
        }
      >
        <Suspense fallback={<Skeleton label="the view" />}>
          {view === "talk" && <Summaries conversationId={conversationId} />}
          {view === "talk" && <Tasks conversationId={conversationId} />}
          {view === "talk" && <Talk key={conversationId} conversationId={conversationId} />}
          {view === "timeline" && <Timeline conversationId={conversationId} />}
          {view === "events" && <RawEvents conversationId={conversationId} />}
        </Suspense>
      </Tabs>
    </Page>
  );
}

function useMarkAsRead(conversationId: string, isUnread: boolean): void {
  const wId = useWorkspaceId();
  const canWrite = hasScope(useSession(), "conversations:write");
  const { mutate } = useMutation(trpc.conversations.update.mutationOptions());
  useEffect(() => {
    if (isUnread && canWrite) mutate({ wId, cId: conversationId, read: true });
  }, [isUnread, canWrite, mutate, wId, conversationId]);
}
