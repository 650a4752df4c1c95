import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { AgentConfiguration } from "parley-client";
import { hasRole, hasScope } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { CurlCommand, EmptyState } from "../ui/empty-state.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { rowLink } from "../ui/table.tsx";

/** A page of agents, as all three lists return it. */
interface Listed {
  readonly agentConfigurations: readonly Omit<AgentConfiguration, "instructions">[];
  readonly hasMore?: boolean;
  readonly lastValue?: string | null;
}

interface Asked {
  readonly wId: string;
  readonly q?: string | undefined;
  readonly status?: "archived" | undefined;
  readonly after?: string | undefined;
  readonly isBuilder: boolean;
}

/** Agents whose names match; otherwise those that users can mention, or for builders all in a state. */
async function readAgents(asked: Asked, signal: AbortSignal): Promise<Listed> {
  const { wId, q, status = "active", after: lastValue, isBuilder } = asked;
  if (q !== undefined) return rpc.agents.search.query({ wId, q }, { signal });
  if (!isBuilder) return rpc.agents.list.query({ wId }, { signal });
  return rpc.agents.listAll.query({ wId, status, limit: 50, lastValue }, { signal });
}

/** The agents of the workspace. */
export function AgentListPage() {
  const wId = useWorkspaceId();
  const session = useSession();
  const isBuilder = hasRole(session, "builder");
  const canTalk = hasScope(session, "conversations:write");
  const navigate = useNavigate({ from: "/agents" });
  const { q, status, after } = useSearch({ from: "/session/agents" });
  const asked = { wId, isBuilder, q, status, after };
  const agents = useQuery({
    queryKey: [...trpc.agents.pathKey(), "page", asked],
    queryFn: ({ signal }) => readAgents(asked, signal),
    placeholderData: (before) => before,
  });
  return (
    <ListPage
      name="Agents"
      query={agents}
      rowsOf={({ agentConfigurations }) => agentConfigurations}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        isBuilder && (
          <Link to="/agents/new" className={buttonLook("primary")}>
            <Icon name="plus" />
            New agent
          </Link>
        )
      }
      above={
        <search className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Name"
            type="search"
            value={q ?? ""}
            onChange={({ target: { value } }) =>
              void navigate({ search: { q: value === "" ? undefined : value }, replace: true })
            }
          />
          {isBuilder && (
            <SelectField
              label="State"
              value={status ?? ""}
              onChange={({ target: { value } }) =>
                void navigate({ search: { status: value === "archived" ? value : undefined } })
              }
            >
              <option value="">Active</option>
              <option value="archived">Archived</option>
            </SelectField>
          )}
        </search>
      }
      columns={{
        Agent: ({ sId, name, description }) => (
          <>
            <Link to="/agents/$agentId" params={{ agentId: sId }} className={rowLink}>
              {name}
            </Link>
            <span className="line-clamp-2 text-sm text-muted">{description}</span>
          </>
        ),
        State: ({ status: state }) => <StatusBadge status={state} />,
        Model: ({ model }) => `${model.providerId}/${model.modelId}`,
        Talk: ({ sId, name, status: state }) =>
          canTalk &&
          state === "active" && (
            <Link
              to="/conversations/new"
              search={{ agent: [sId] }}
              className="text-accent underline"
            >
              Talk<span className="sr-only"> to {name}</span>
            </Link>
          ),
      }}
      empty={
        <EmptyState title="No agents found">
          {isBuilder && (
            <>
              <p className="text-muted">Create one with “New agent”, or over the API:</p>
              <CurlCommand
                path={`/api/admin/workspaces/${wId}/agents`}
                body={{
                  name: "Helper",
                  description: "Answers questions",
                  model: { providerId: "simulated", modelId: "simulated-1" },
                }}
              />
            </>
          )}
        </EmptyState>
      }
    />
  );
}
