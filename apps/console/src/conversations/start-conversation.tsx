import { useMutation } from "@tanstack/react-query";
import { trpc } from "../api/clients.ts";
import { useParley, useSession } from "../api/use-session.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Composer, type Draft } from "./composer.tsx";
import { authorOf } from "./draft.ts";

interface StartConversationProps {
  /** Agents chosen at first. */
  readonly agentIds: readonly string[] | undefined;
  /** Called with the id of the conversation that the first message has created. */
  readonly onStart: (conversationId: string) => void;
}

/** Creates a conversation with its first message, its agents and files. */
export function StartConversation({ agentIds: suggested, onStart }: StartConversationProps) {
  const parley = useParley();
  const session = useSession();
  const creating = useMutation({
    mutationKey: trpc.conversations.pathKey(),
    mutationFn: async ({ text, agentIds, files }: Draft) => {
      const mentions = agentIds.map((configurationId) => ({ configurationId }));
      const message = { content: text, mentions, context: authorOf(session) };
      return parley.conversations.create({ message, contentFragments: [...files] });
    },
    onSuccess: ({ conversation }) => onStart(conversation.sId),
  });
  return (
    <>
      <Composer
        suggestedAgentIds={suggested}
        isBusy={creating.isPending}
        onSend={async (draft) =>
          creating.mutateAsync(draft).then(
            () => true,
            () => false,
          )
        }
      />
      {creating.isError && (
        <ErrorNotice title="The conversation was not created" error={creating.error} />
      )}
    </>
  );
}
