import { useNavigate, useSearch } from "@tanstack/react-router";
import { Page } from "../ui/page.tsx";
import { StartConversation } from "./start-conversation.tsx";

/** The page that starts a conversation. */
export function NewConversationPage() {
  const { agent } = useSearch({ from: "/session/conversations/new" });
  const navigate = useNavigate();
  return (
    <Page title="New conversation" isColumn>
      <p className="text-muted">
        Choose one or more agents and write a message. They answer at the same time.
      </p>
      <StartConversation
        agentIds={agent}
        onStart={(conversationId) =>
          void navigate({ to: "/conversations/$conversationId", params: { conversationId } })
        }
      />
    </Page>
  );
}
