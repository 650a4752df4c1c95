import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, buttonLook } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { List } from "../ui/list.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { rowLink } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { OneVersion } from "./one-version.tsx";
import { describeChanges } from "./version-text.ts";

const here = "/session/agents/$agentId/versions";

/** The versions of an agent, one of which is shown, compared with another, and can be restored. */
export function AgentVersionsPage() {
  const { agentId } = useParams({ from: here });
  const { after, version } = useSearch({ from: here });
  const wId = useWorkspaceId();
  const reading = useQuery(
    trpc.agents.listVersions.queryOptions({ wId, agentId, lastValue: after }),
  );
  if (isNotFound(reading.error)) return <NotFoundPage />;
  const versions = reading.data?.versions ?? [];
  const [newest] = versions;
  const shown = version ?? newest?.version;
  return (
    <Page
      title={`Versions of ${newest?.name ?? "an agent"}`}
      actions={
        <Link to="/agents/$agentId" params={{ agentId }} className={buttonLook()}>
          Current agent
        </Link>
      }
    >
      <List
        name="Versions"
        query={reading}
        rowsOf={(page) => page.versions}
        keyOf={(one) => one.version}
        after={after}
        least={["Model"]}
        empty={<EmptyState title="No versions on this page" />}
        columns={{
          Version: (one) => (
            <span className="flex flex-wrap items-center gap-2">
              <Link
                to="."
                search={(search) => ({ ...search, version: one.version, with: undefined })}
                aria-current={shown === one.version ? "true" : undefined}
                className={`${rowLink} aria-[current]:underline`}
              >
                Version {one.version + 1}
              </Link>
              {one.isCurrent && <Badge tone="good">current</Badge>}
            </span>
          ),
          Changes: ({ changes }) => describeChanges(changes),
          Model: ({ providerId, modelId }) => `${providerId}/${modelId}`,
          "Changed by": ({ editor }) => editor?.name ?? "An operator",
          Changed: ({ createdAt }) => <Time at={createdAt} />,
        }}
      />
      {shown !== undefined && (
        <OneVersion
          agentId={agentId}
          shown={shown}
          listed={versions.map((one) => one.version)}
          actions={<RestoreVersion agentId={agentId} shown={shown} />}
        />
      )}
    </Page>
  );
}

interface RestoreVersionProps {
  readonly agentId: string;
  readonly shown: number;
}

/** Restores a version unless it is the current one, or the agent was changed since it was read. */
function RestoreVersion({ agentId, shown }: RestoreVersionProps) {
  const wId = useWorkspaceId();
  const say = useToast();
  const navigate = useNavigate({ from: "/agents/$agentId/versions" });
  const newest = useQuery(trpc.agents.listVersions.queryOptions({ wId, agentId, limit: 1 }));
  const version = newest.data?.versions[0]?.version;
  const restoring = useMutation(
    trpc.agents.restoreVersion.mutationOptions({
      onSuccess: async ({ agentConfiguration: restored }) => {
        say(`Restored as version ${restored.version + 1}`);
        await navigate({ search: {} });
      },
    }),
  );
  if (version === undefined || version === shown) return null;
  return (
    <>
      <Button
        isBusy={restoring.isPending}
        onClick={() => restoring.mutate({ wId, agentId, agentVersion: shown, version })}
      >
        Restore version {shown + 1}
      </Button>
      {restoring.isError && (
        <ErrorNotice title="The version was not restored" error={restoring.error} />
      )}
    </>
  );
}
