import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { ConnectionForm } from "./connection-form.tsx";
import { NameForm } from "./name-form.tsx";
import { OfferedTools } from "./offered-tools.tsx";
import { type Connected, toolQuery } from "./read-tool.ts";

/** One MCP server: its tools, and how they are called. */
export function ToolPage() {
  const { toolId } = useParams({ from: "/session/tools/$toolId" });
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const [doing, setDoing] = useState<"rename" | "remove">();
  const query = toolQuery(wId, toolId);
  const shown = useQuery(query);
  const { data, refetch } = shown;
  const refreshing = useMutation({
    mutationFn: async () => rpc.tools.refresh.mutate({ wId, toolId }),
    onSuccess: (refreshed) => {
      queryClient.setQueryData(query.queryKey, refreshed);
      say(`Tools available: ${refreshed.tool.server.tools.length}`);
    },
    // The connection keeps the failure as its fault.
    onError: () => void refetch(),
  });
  if (data === null) return <NotFoundPage />;
  const { tool, version, connection } = data ?? {};
  return (
    <Page
      title={tool?.name ?? "Tool"}
      actions={
        tool && (
          <>
            {connection && (
              <Button isBusy={refreshing.isPending} onClick={() => refreshing.mutate()}>
                <Icon name="retry" />
                Refresh
              </Button>
            )}
            <Button onClick={() => setDoing("rename")}>Edit</Button>
            <Button onClick={() => setDoing("remove")}>Remove</Button>
          </>
        )
      }
    >
      {refreshing.isError && (
        <ErrorNotice title="The server’s tools could not be refreshed" error={refreshing.error} />
      )}
      <Loaded query={shown} label="the tool" />
      {tool && (
        <p className="flex flex-wrap gap-2">
          <Badge tone="accent">{tool.serverType}</Badge>
          {tool.isRestrictedToSkills && <Badge>skills only</Badge>}
          <span className="text-muted">{tool.description}</span>
        </p>
      )}
      {connection && <ConnectionFacts connection={connection} />}
      {data && (
        <Section title="Tools">
          <OfferedTools shown={data} />
        </Section>
      )}
      {tool && version !== undefined && connection && (
        <Section title="Connection">
          <ConnectionForm key={version} shown={{ tool, version, connection }} />
        </Section>
      )}
      {data && doing === "rename" && (
        <NameForm
          shown={data}
          onClose={() => setDoing(undefined)}
          onChange={(name) => {
            setDoing(undefined);
            say(`${name} saved`);
          }}
        />
      )}
      {tool && version !== undefined && doing === "remove" && (
        <ConfirmDialog
          title="Remove tool"
          description="Agents and skills lose this tool, and users’ permissions for it are deleted. This cannot be undone."
          word={tool.name}
          onClose={() => setDoing(undefined)}
          onConfirm={async () => {
            await rpc.tools.remove.mutate({ wId, toolId, version });
            await navigate({ to: "/tools" });
            say(`${tool.name} removed`);
            await queryClient.invalidateQueries(trpc.tools.pathFilter());
          }}
        />
      )}
    </Page>
  );
}

function ConnectionFacts({ connection }: Pick<Connected, "connection">) {
  const { url, headerNames, oauth, refreshedAt, fault } = connection;
  return (
    <>
      {fault !== null && (
        <p role="alert" className="rounded-md border border-warn bg-warn-soft px-4 py-3">
          {fault}
        </p>
      )}
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[8rem_minmax(0,1fr)]">
        <dt className="text-muted">URL</dt>
        <dd>
          <code className="font-mono text-sm">{url}</code>
        </dd>
        <dt className="text-muted">Credentials</dt>
        <dd>
          {oauth !== null && `OAuth client ${oauth.clientId} (${oauth.grant}) `}
          {headerNames.length > 0 && `headers ${headerNames.join(", ")}`}
          {oauth === null && headerNames.length === 0 && "none"}
        </dd>
        <dt className="text-muted">Last refreshed</dt>
        <dd>
          <Time at={refreshedAt} />
        </dd>
      </dl>
    </>
  );
}
