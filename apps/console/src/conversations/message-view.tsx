import { useQuery } from "@tanstack/react-query";
import type { ConversationMessage, UserMessage } from "parley-client";
import { memo, useState } from "react";
import { hasScope } from "../api/access.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Time } from "../ui/time.tsx";
import { AgentAnswer, type Waiting } from "./agent-answer.tsx";
import { mentionableQuery } from "./agent-chooser.tsx";
import { EditForm } from "./edit-message.tsx";
import { Fragment } from "./fragment.tsx";
import { useTalk } from "./talk-context.ts";

interface MessageViewProps extends Waiting {
  readonly message: ConversationMessage;
}

/** One message, in its current version. */
export const MessageView = memo(function MessageView({ message, ...waiting }: MessageViewProps) {
  return (
    <li className="min-w-0" data-message={message.sId}>
      {message.type === "user_message" && <WrittenMessage message={message} />}
      {message.type === "content_fragment" && <Fragment fragment={message} />}
      {message.type === "agent_message" && <AgentAnswer message={message} {...waiting} />}
    </li>
  );
});

function WrittenMessage({ message }: { readonly message: UserMessage }) {
  const { context, content, created, mentions } = message;
  const talk = useTalk();
  const canWrite = hasScope(useSession(), "conversations:write");
  const [isEditing, setEditing] = useState(false);
  const { data } = useQuery(mentionableQuery(useWorkspaceId()));
  const nameOf = (id: string) =>
    data?.agentConfigurations.find(({ sId }) => sId === id)?.name ?? id;
  return (
    <article className="ml-auto grid max-w-3xl gap-1 rounded-lg bg-accent-soft px-4 py-3">
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span className="font-medium text-ink">{context.fullName ?? context.username}</span>
        <Time at={created} />
        {mentions.map(({ configurationId: id }) => (
          <Badge key={id}>@{nameOf(id)}</Badge>
        ))}
      </p>
      {isEditing && talk?.edit !== undefined ? (
        <EditForm message={message} edit={talk.edit} onClose={() => setEditing(false)} />
      ) : (
        <>
          <p className="whitespace-pre-wrap">{content}</p>
          {talk?.edit !== undefined && canWrite && (
            <Button
              isSmall
              variant="ghost"
              className="justify-self-end"
              onClick={() => setEditing(true)}
            >
              Edit
            </Button>
          )}
        </>
      )}
    </article>
  );
}
