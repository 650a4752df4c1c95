import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { AgentConfiguration } from "parley-client";
import { CurlCommand } from "../api/curl-command.tsx";
import { hasRole, hasScope } from "../api/access.ts";
import type { Clients } from "../api/clients.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";

/** Agents as both lists of them have them. */
interface Listed {
  readonly agents: readonly Omit<AgentConfiguration, "instructions">[];
  /** Where the next page begins, if there is one. */
  readonly next: string | null;
}

interface Asked {
  readonly q?: string | undefined;
  readonly status?: "archived" | undefined;
  readonly after?: string | undefined;
  readonly isBuilder: boolean;
}

async function readAgents(
  { parley, rpc, workspaceId: wId }: Clients,
  { q, status, after, isBuilder }: Asked,
  signal: AbortSignal,
): Promise<Listed> {
  if (q !== undefined) {
    const { agentConfigurations } = await parley.agents.search({ q }, { signal });
    return { agents: agentConfigurations, next: null };
  }
  if (!isBuilder) {
    const { agentConfigurations } = await parley.agents.list({}, { signal });
    return { agents: agentConfigurations, next: null };
  }
  const place = after === undefined ? {} : { lastValue: after };
  const call = { wId, status: status ?? ("active" as const), limit: 50, ...place };
  const page = await rpc.agents.listAll.query(call, { signal });
  return { agents: page.agentConfigurations, next: page.hasMore ? page.lastValue : null };
}

/** The agents of the workspace. */
export function AgentListPage() {
  const clients = useClients();
  const isBuilder = hasRole(useSession(), "builder");
  const search = useSearch({ from: "/session/agents" });
  const navigate = useNavigate({ from: "/agents" });
  const { q, status, after } = search;
  const { data, error, refetch } = useQuery({
    queryKey: ["agents", clients.workspaceId, "list", isBuilder, q, status, after],
    queryFn: ({ signal }) => readAgents(clients, { ...search, isBuilder }, signal),
    placeholderData: (before) => before,
  });
  return (
    <Page
      title="Agents"
      actions={
        isBuilder && (
          <Link to="/agents/new" className={buttonLook("primary")}>
            <Icon name="plus" />
            New agent
          </Link>
        )
      }
    >
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
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the agents" />}
      {data?.agents.length === 0 && (
        <EmptyState title="There are no such agents">
          {isBuilder && (
            <>
              <p className="text-muted">“New agent” makes one, and so does:</p>
              <CurlCommand
                path={`/api/admin/workspaces/${clients.workspaceId}/agents`}
                body={{
                  name: "Helper",
                  description: "Answers questions",
                  model: { providerId: "simulated", modelId: "simulated-1" },
                }}
              />
            </>
          )}
        </EmptyState>
      )}
      {data && data.agents.length > 0 && <AgentTable agents={data.agents} />}
      {data && <Pager after={after} next={data.next} />}
    </Page>
  );
}

function AgentTable({ agents }: Pick<Listed, "agents">) {
  const canTalk = hasScope(useSession(), "conversations:write");
  return (
    <Table label="Agents" columns={["Agent", "State", "Model", "Talk"]}>
      {agents.map(({ sId, name, description, status, model }) => (
        <TableRow
          key={sId}
          cells={[
            <>
              <Link
                to="/agents/$agentId"
                params={{ agentId: sId }}
                className="font-medium text-accent hover:underline"
              >
                {name}
              </Link>
              <span className="line-clamp-2 text-sm text-muted">{description}</span>
            </>,
            <StatusBadge status={status} />,
            `${model.providerId}/${model.modelId}`,
            canTalk && status === "active" && (
              <Link
                to="/conversations/new"
                search={{ agent: [sId] }}
                className="text-accent underline"
              >
                Talk<span className="sr-only"> to {name}</span>
              </Link>
            ),
          ]}
        />
      ))}
    </Table>
  );
}
