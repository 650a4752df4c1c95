import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hasScope } from "../api/access.ts";
import { isNotFound } from "../api/failures.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { NotFoundPage } from "../app/fault-pages.tsx";
import { buttonLook } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

/** One agent, as those see it who may not change it. */
export function ReadAgent({ agentId }: { readonly agentId: string }) {
  const { parley, workspaceId } = useClients();
  const canTalk = hasScope(useSession(), "conversations:write");
  const { data, error, refetch } = useQuery({
    queryKey: ["agent", workspaceId, agentId],
    queryFn: async ({ signal }) =>
      (await parley.agents.get({ agentId }, { signal })).agentConfiguration,
  });
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <Page
      title={data?.name ?? "Agent"}
      actions={
        canTalk && (
          <Link
            to="/conversations/new"
            search={{ agent: [agentId] }}
            className={buttonLook("primary")}
          >
            Talk to it
          </Link>
        )
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the agent" />}
      {data && (
        <>
          <p>{data.description}</p>
          <p className="text-muted">
            Model {data.model.providerId}/{data.model.modelId}, up to {data.maxStepsPerRun} steps
          </p>
          {data.instructions !== null && data.instructions !== "" && (
            <section aria-label="Instructions" className="rounded-lg border border-line p-4">
              <p className="whitespace-pre-wrap">{data.instructions}</p>
            </section>
          )}
        </>
      )}
    </Page>
  );
}
