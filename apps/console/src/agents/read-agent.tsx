import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { buttonLook } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";

/** One agent, for readers who may not change it. */
export function ReadAgent({ agentId }: { readonly agentId: string }) {
  const wId = useWorkspaceId();
  const canTalk = hasScope(useSession(), "conversations:write");
  const agent = useQuery(trpc.agents.get.queryOptions({ wId, sId: agentId }));
  if (isNotFound(agent.error)) return <NotFoundPage />;
  return (
    <Page
      title={agent.data?.agentConfiguration.name ?? "Agent"}
      actions={
        canTalk && (
          <Link
            to="/conversations/new"
            search={{ agent: [agentId] }}
            className={buttonLook("primary")}
          >
            Talk to agent
          </Link>
        )
      }
    >
      <Loaded query={agent} label="the agent">
        {({ agentConfiguration: one }) => (
          <>
            <p>{one.description}</p>
            <p className="text-muted">
              Model {one.model.providerId}/{one.model.modelId}, up to {one.maxStepsPerRun} steps per
              turn
            </p>
            {one.instructions !== null && one.instructions !== "" && (
              <section aria-label="Instructions" className="rounded-lg border border-line p-4">
                <p className="whitespace-pre-wrap">{one.instructions}</p>
              </section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
