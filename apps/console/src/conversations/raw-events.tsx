import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ConversationEvent, MessageEvent } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useParley, useWorkspaceId } from "../api/use-session.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { EventList } from "../ui/event-list.tsx";
import { SelectField } from "../ui/field.tsx";
import { useEvents } from "../ui/use-events.ts";

/** The events of a conversation, or of one of its answers, as the stream sends them. */
export function RawEvents({ conversationId }: { readonly conversationId: string }) {
  const parley = useParley();
  const wId = useWorkspaceId();
  const { log } = useSearch({ from: "/session/conversations/$conversationId" });
  const navigate = useNavigate({ from: "/conversations/$conversationId" });
  const { data } = useQuery(trpc.conversations.get.queryOptions({ wId, cId: conversationId }));
  const { events, error } = useEvents<ConversationEvent | MessageEvent>(
    [conversationId, log],
    (options) =>
      log === undefined
        ? parley.conversations.follow({ conversationId }, options)
        : parley.messages.follow(
            {
              conversationId,
              messageId: log,
              include: ["notes", "fallbacks", "citations", "children"],
            },
            options,
          ),
  );
  return (
    <div className="grid gap-4">
      <SelectField
        label="Log"
        value={log ?? ""}
        onChange={(event) =>
          void navigate({ search: { view: "events", log: event.target.value || undefined } })
        }
      >
        <option value="">Conversation</option>
        {data?.conversation.content.flat().map(
          (answer) =>
            answer.type === "agent_message" && (
              <option key={answer.sId} value={answer.sId}>
                Answer from {answer.configuration.name}, version {answer.version + 1} ({answer.sId})
              </option>
            ),
        )}
      </SelectField>
      {error !== undefined && <ErrorNotice error={error} />}
      <EventList label="Events" events={events} />
    </div>
  );
}
