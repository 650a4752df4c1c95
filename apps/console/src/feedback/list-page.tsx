import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { ListPage } from "../ui/list.tsx";
import { rowLink } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

/** The feedback of all users on answers, the newest first, for those who build agents. */
export function FeedbackListPage() {
  const wId = useWorkspaceId();
  const { agent, thumb, after } = useSearch({ from: "/session/feedback" });
  const navigate = useNavigate({ from: "/feedback" });
  const agents = useQuery(trpc.agents.list.queryOptions({ wId }));
  const list = useQuery(
    trpc.feedbacks.list.queryOptions({
      wId,
      agentId: agent,
      thumbDirection: thumb,
      order: "newest",
      limit: 20,
      lastValue: after,
    }),
  );
  const names = new Map(
    agents.data?.agentConfigurations.map(({ sId, name }) => [sId, name] as const),
  );
  if (agent !== undefined && !names.has(agent)) names.set(agent, agent);
  return (
    <ListPage
      name="Feedback"
      query={list}
      rowsOf={({ feedbacks }) => feedbacks}
      keyOf={({ messageId, userId }) => `${messageId} ${userId}`}
      after={after}
      least={["From"]}
      above={
        <search className="grid gap-3 sm:max-w-lg sm:grid-cols-2">
          <SelectField
            label="Agent"
            value={agent ?? ""}
            onChange={({ target: { value } }) =>
              void navigate({ search: { thumb, agent: value || undefined } })
            }
          >
            <option value="">All</option>
            {[...names].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <SelectField
            label="Rating"
            value={thumb ?? ""}
            onChange={({ target: { value } }) =>
              void navigate({
                search: { agent, thumb: value === "up" || value === "down" ? value : undefined },
              })
            }
          >
            <option value="">All</option>
            <option value="up">Good</option>
            <option value="down">Bad</option>
          </SelectField>
        </search>
      }
      columns={{
        Rating: ({ thumbDirection, conversationId }) => (
          <Link to="/conversations/$conversationId" params={{ conversationId }} className={rowLink}>
            <Badge tone={thumbDirection === "up" ? "good" : "bad"}>
              {thumbDirection === "up" ? "Good" : "Bad"}
            </Badge>
            <span className="sr-only"> answer: open the conversation</span>
          </Link>
        ),
        Comment: ({ content }) => <span className="whitespace-pre-wrap">{content ?? "–"}</span>,
        Agent: ({ agentConfigurationId: id, agentConfigurationVersion: version }) =>
          `${names.get(id) ?? id}, version ${version + 1}`,
        From: ({ user }) => user.fullName,
        Given: ({ createdAt }) => <Time at={createdAt} />,
      }}
      empty={
        <EmptyState
          title={
            agent === undefined && thumb === undefined ? "No feedback yet" : "No matching feedback"
          }
        >
          <p className="text-muted">
            People rate answers in conversations; applications send feedback with the API.
          </p>
        </EmptyState>
      }
    />
  );
}
