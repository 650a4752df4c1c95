import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { StartConversation } from "../conversations/start-conversation.tsx";
import { Talk } from "../conversations/talk.tsx";

/** A chat with an agent beside its editor; answers use the last saved version. */
export function TryAgent({ agentId }: { readonly agentId: string }) {
  const [conversationId, setConversationId] = useState<string>();
  return (
    <section aria-label="Try it" className="grid gap-4 rounded-lg border border-line p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">Try it</h2>
        {conversationId !== undefined && (
          <span className="flex flex-wrap items-center gap-3">
            <Link
              to="/conversations/$conversationId"
              params={{ conversationId }}
              className="text-accent underline"
            >
              Open conversation
            </Link>
            <Button isSmall onClick={() => setConversationId(undefined)}>
              Start over
            </Button>
          </span>
        )}
      </div>
      <p className="text-sm text-muted">
        Answers use the last saved version. Tools of skills are offered once the agent has loaded
        the skill.
      </p>
      {conversationId === undefined ? (
        <StartConversation agentIds={[agentId]} onStart={setConversationId} />
      ) : (
        <Talk key={conversationId} conversationId={conversationId} isBeside />
      )}
    </section>
  );
}
