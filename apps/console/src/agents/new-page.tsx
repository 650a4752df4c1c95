import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { AgentForm } from "./agent-form.tsx";
import { emptyDraft } from "./definition.ts";

/** The page that creates an agent. */
export function NewAgentPage() {
  const wId = useWorkspaceId();
  const navigate = useNavigate();
  const say = useToast();
  const creating = useMutation(
    trpc.agents.create.mutationOptions({
      onSuccess: async ({ agentConfiguration: { sId: agentId, name } }) => {
        say(`${name} created`);
        await navigate({ to: "/agents/$agentId", params: { agentId }, ignoreBlocker: true });
      },
    }),
  );
  return (
    <Page title="New agent">
      <AgentForm
        initial={emptyDraft}
        submitLabel="Create"
        isBusy={creating.isPending}
        isSaved={creating.isSuccess}
        refusal={creating.error}
        onSubmit={(input) => creating.mutate({ wId, ...input })}
      />
    </Page>
  );
}
