import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { hasRole, hasScope } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { AgentForm } from "./agent-form.tsx";
import { type AgentDraft, draftOf, inputOfDraft, type StoredAgent } from "./definition.ts";
import { ReadAgent } from "./read-agent.tsx";
import { TryAgent } from "./try-agent.tsx";

/** One agent: an editor with a chat for builders and higher, its description for others. */
export function AgentPage() {
  const { agentId } = useParams({ from: "/session/agents/$agentId" });
  const isBuilder = hasRole(useSession(), "builder");
  return isBuilder ? (
    <EditAgent key={agentId} agentId={agentId} />
  ) : (
    <ReadAgent key={agentId} agentId={agentId} />
  );
}

function EditAgent({ agentId }: { readonly agentId: string }) {
  const wId = useWorkspaceId();
  // Unsaved edits are not replaced.
  const kept = { staleTime: Infinity, gcTime: 0 };
  const agent = useQuery(trpc.agents.getDefinition.queryOptions({ wId, agentId }, kept));
  if (isNotFound(agent.error)) return <NotFoundPage />;
  if (agent.data) return <Editor definition={agent.data} />;
  return (
    <Page title="Agent">
      <Loaded query={agent} label="the agent" lines={12} />
    </Page>
  );
}

function Editor({ definition }: { readonly definition: StoredAgent }) {
  const { sId: agentId, name, status, version } = definition.agentConfiguration;
  const wId = useWorkspaceId();
  const say = useToast();
  const form = useRef(draftOf(definition));
  const keepForm = useCallback((draft: AgentDraft) => void (form.current = draft), []);
  const canTalk = hasScope(useSession(), "conversations:write");
  const isArchived = status === "archived";
  const saving = useMutation(
    trpc.agents.update.mutationOptions({
      onSuccess: (saved) => say(`Saved as version ${saved.agentConfiguration.version + 1}`),
    }),
  );
  const moving = useMutation({
    mutationKey: trpc.agents.pathKey(),
    mutationFn: async () =>
      isArchived
        ? rpc.agents.restore.mutate({ wId, agentId })
        : rpc.agents.archive.mutate({ wId, agentId }),
    onSuccess: () => say(isArchived ? `${name} restored` : `${name} archived`),
  });
  return (
    <Page
      title={name}
      actions={
        <Button isBusy={moving.isPending} onClick={() => moving.mutate()}>
          {isArchived ? "Restore" : "Archive"}
        </Button>
      }
    >
      <p className="flex flex-wrap items-center gap-2 text-muted">
        <code className="font-mono text-sm">{agentId}</code>
        <StatusBadge status={status} />
        <Link to="/agents/$agentId/versions" params={{ agentId }} className="text-accent underline">
          version {version + 1}
        </Link>
      </p>
      {moving.isError && <ErrorNotice error={moving.error} />}
      <div className="grid items-start gap-8 lg:grid-cols-2">
        <AgentForm
          initial={draftOf(definition)}
          submitLabel="Save"
          isBusy={saving.isPending}
          isSaved={saving.isSuccess}
          refusal={saving.error}
          onChange={keepForm}
          onSubmit={(input) => {
            const responseFormat = input.responseFormat ?? null;
            saving.mutate({ wId, agentId, version, ...input, responseFormat });
          }}
        />
        {canTalk && !isArchived && (
          <div className="lg:sticky lg:top-4 lg:max-h-[calc(100vh-2rem)] lg:overflow-y-auto">
            <TryAgent agentId={agentId} readForm={() => inputOfDraft(form.current)} />
          </div>
        )}
      </div>
    </Page>
  );
}
