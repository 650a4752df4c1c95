import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../api/clients.ts";
import { pagesOf } from "../api/pages-of.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { wordOf } from "../ui/states.ts";
import { kinds, nameOfKind, statuses } from "./kinds.ts";

interface Choice {
  readonly id: string;
  readonly name: string;
}

/** Filters of runs; the choices are in the URL. */
export function RunFilters() {
  const { search, change } = useRunSearch();
  const { data, error, refetch } = useFunctionsAndAgents();
  return (
    <>
      <search className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <KindAndStatus />
        <ReferenceField
          label="Function"
          value={search.function}
          choices={data?.functions ?? []}
          onChange={(value) => change({ function: value })}
        />
        <ReferenceField
          label="Agent"
          value={search.agent}
          choices={data?.agents ?? []}
          onChange={(value) => change({ agent: value })}
        />
      </search>
      {error && (
        <ErrorNotice
          title="The functions and agents could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
    </>
  );
}

/** The filters that every list of runs has. */
export function KindAndStatus() {
  const { search, change } = useRunSearch();
  return (
    <>
      <SelectField
        label="Kind"
        value={search.kind ?? ""}
        onChange={({ target: { value } }) => change({ kind: kinds.find((one) => one === value) })}
      >
        <option value="">All</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {nameOfKind[kind]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Status"
        value={search.status ?? ""}
        onChange={({ target: { value } }) =>
          change({ status: statuses.find((one) => one === value) })
        }
      >
        <option value="">All</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {wordOf(status)}
          </option>
        ))}
      </SelectField>
    </>
  );
}

/** The filters in the URL, and a function that changes them and returns to the first page. */
function useRunSearch() {
  const search = useSearch({ from: "/session/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const change = (changed: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changed, after: undefined }) });
  return { search, change };
}

interface ReferenceFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string | undefined) => void;
}

/** A choice by id; the URL may name one that is not listed, such as an archived one. */
function ReferenceField({ label, value, choices, onChange }: ReferenceFieldProps) {
  const isListed = value === undefined || choices.some(({ id }) => id === value);
  return (
    <SelectField
      label={label}
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
    >
      <option value="">All</option>
      {!isListed && <option value={value}>{value}</option>}
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

function useFunctionsAndAgents() {
  const wId = useWorkspaceId();
  return useQuery({
    queryKey: [...trpc.sandboxFunctions.list.pathKey(), "choices", wId],
    queryFn: async ({ signal }) => {
      const { agentConfigurations } = await rpc.agents.list.query({ wId }, { signal });
      const pages = pagesOf((place) =>
        rpc.sandboxFunctions.list.query({ wId, ...place }, { signal }),
      );
      return {
        agents: agentConfigurations.map(({ sId, name }): Choice => ({ id: sId, name })),
        functions: (await Array.fromAsync(pages))
          .flatMap(({ sandboxFunctions }) => sandboxFunctions)
          .map(({ slug }): Choice => ({ id: slug, name: slug })),
      };
    },
    staleTime: 30_000,
  });
}
