import { useNavigate, useSearch } from "@tanstack/react-router";
import { Page } from "../ui/page.tsx";
import { StartConversation } from "./start-conversation.tsx";

/** Where a conversation begins. */
export function NewConversationPage() {
  const { agent } = useSearch({ from: "/session/conversations/new" });
  const navigate = useNavigate();
  return (
    <Page title="New conversation">
      <p className="text-muted">
        Choose one agent or several, which answer at the same time, and write to them.
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
