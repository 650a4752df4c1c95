import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { NotFoundPage } from "../app/fault-pages.tsx";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { AgentForm } from "./agent-form.tsx";
import { type AgentInput, emptyDraft } from "./definition.ts";

/** Where an agent begins. */
export function NewAgentPage() {
  const { rpc, workspaceId: wId } = useClients();
  const isBuilder = hasRole(useSession(), "builder");
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
  if (!isBuilder) return <NotFoundPage />;
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
