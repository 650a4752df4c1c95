import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { RpcClient } from "parley-client";
import { hasRole, hasScope } from "../api/access.ts";
import { isNotFound } from "../api/failures.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { NotFoundPage } from "../app/fault-pages.tsx";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useToast } from "../ui/toast.tsx";
import { AgentForm } from "./agent-form.tsx";
import { type AgentInput, draftOf } from "./definition.ts";
import { ReadAgent } from "./read-agent.tsx";
import { TryAgent } from "./try-agent.tsx";

type Definition = Awaited<ReturnType<RpcClient["agents"]["getDefinition"]["query"]>>;

/** One agent: its editor for those who build, and what it is for others, with a chat beside it. */
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
  const { rpc, workspaceId: wId } = useClients();
  const { data, error, refetch } = useQuery({
    queryKey: ["agent", wId, agentId],
    queryFn: ({ signal }) => rpc.agents.getDefinition.query({ wId, agentId }, { signal }),
    // What is being written is not replaced.
    staleTime: Infinity,
    gcTime: 0,
  });
  if (isNotFound(error)) return <NotFoundPage />;
  if (!data) {
    return (
      <Page title="Agent">
        {error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton label="the agent" lines={12} />
        )}
      </Page>
    );
  }
  return <Editor definition={data} onChange={() => void refetch()} />;
}

interface EditorProps {
  readonly definition: Definition;
  readonly onChange: () => void;
}

function Editor({ definition, onChange }: EditorProps) {
  const { sId: agentId, name, status, version } = definition.agentConfiguration;
  const { rpc, workspaceId: wId } = useClients();
  const queryClient = useQueryClient();
  const say = useToast();
  const canTalk = hasScope(useSession(), "conversations:write");
  const isArchived = status === "archived";
  const onSuccess = async (text: string) => {
    say(text);
    onChange();
    await queryClient.invalidateQueries({ queryKey: ["agents"] });
  };
  const saving = useMutation({
    mutationFn: async (input: AgentInput) =>
      rpc.agents.update.mutate({ wId, agentId, version, ...input }),
    onSuccess: async (saved) =>
      onSuccess(`Saved as version ${saved.agentConfiguration.version + 1}`),
  });
  const moving = useMutation({
    mutationFn: async () =>
      isArchived
        ? rpc.agents.restore.mutate({ wId, agentId })
        : rpc.agents.archive.mutate({ wId, agentId }),
    onSuccess: async () => onSuccess(isArchived ? `${name} is restored` : `${name} is archived`),
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
        version {version + 1}
      </p>
      {moving.isError && <ErrorNotice error={moving.error} />}
      <div className="grid items-start gap-8 lg:grid-cols-2">
        <AgentForm
          initial={draftOf(definition)}
          submitLabel="Save"
          isBusy={saving.isPending}
          isSaved={saving.isSuccess}
          refusal={saving.error}
          onSubmit={(input) => saving.mutate(input)}
        />
        {canTalk && !isArchived && (
          <div className="lg:sticky lg:top-4 lg:max-h-[calc(100vh-2rem)] lg:overflow-y-auto">
            <TryAgent agentId={agentId} />
          </div>
        )}
      </div>
    </Page>
  );
}
