import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { AgentForm } from "./agent-form.tsx";
import { type AgentDraft, emptyDraft, inputOfDraft } from "./definition.ts";
import { TryAgent } from "./try-agent.tsx";

/** The page that creates an agent. */
export function NewAgentPage() {
  const wId = useWorkspaceId();
  const navigate = useNavigate();
  const say = useToast();
  const form = useRef(emptyDraft);
  const keepForm = useCallback((draft: AgentDraft) => void (form.current = draft), []);
  const canTalk = hasScope(useSession(), "conversations:write");
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
      <div className="grid items-start gap-8 lg:grid-cols-2">
        <AgentForm
          initial={emptyDraft}
          submitLabel="Create"
          isBusy={creating.isPending}
          isSaved={creating.isSuccess}
          refusal={creating.error}
          onChange={keepForm}
          onSubmit={(input) => creating.mutate({ wId, ...input })}
        />
        {canTalk && (
          <div className="lg:sticky lg:top-4 lg:max-h-[calc(100vh-2rem)] lg:overflow-y-auto">
            <TryAgent readForm={() => inputOfDraft(form.current)} />
          </div>
        )}
      </div>
    </Page>
  );
}
