import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useClients } from "../api/use-session.ts";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { AgentForm } from "./agent-form.tsx";
import { type AgentInput, emptyDraft } from "./definition.ts";

/** Where an agent begins. */
export function NewAgentPage() {
  const { rpc, workspaceId: wId } = useClients();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const say = useToast();
  const creating = useMutation({
    mutationFn: async (input: AgentInput) => rpc.agents.create.mutate({ wId, ...input }),
    onSuccess: async ({ agentConfiguration: { sId: agentId, name } }) => {
      say(`${name} is created`);
      void queryClient.invalidateQueries({ queryKey: ["agents"] });
      await navigate({ to: "/agents/$agentId", params: { agentId }, ignoreBlocker: true });
    },
  });
  return (
    <Page title="New agent">
      <AgentForm
        initial={emptyDraft}
        submitLabel="Create"
        isBusy={creating.isPending}
        isSaved={creating.isSuccess}
        refusal={creating.error}
        onSubmit={(input) => creating.mutate(input)}
      />
    </Page>
  );
}
