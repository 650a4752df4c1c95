import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../../api/clients.ts";
import { pagesOf } from "../../api/pages-of.ts";
import { useWorkspaceId } from "../../api/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { useResetForm } from "../../ui/use-reset-form.ts";
import { wordOf } from "../../ui/states.ts";
import { conversationStates } from "./states.ts";

/** Filters of the search; the choices are in the URL. */
export function SearchFields() {
  const search = useSearch({ from: "/session/conversations/all" });
  const navigate = useNavigate({ from: "/conversations/all" });
  const agents = useAgents();
  const formRef = useResetForm(JSON.stringify({ ...search, after: undefined }));
  const isListed = search.agent === undefined || agents.some(({ sId }) => sId === search.agent);
  const apply = (form: FormData) => {
    const given = (name: string) => String(form.get(name) ?? "").trim() || undefined;
    const status = given("status");
    void navigate({
      search: {
        q: given("q"),
        agent: given("agent"),
        status: conversationStates.find((one) => one === status),
        since: given("since"),
        until: given("until"),
      },
    });
  };
  return (
    <search>
      <form
        ref={formRef}
        className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-3"
        onSubmit={(event) => {
          event.preventDefault();
          apply(new FormData(event.currentTarget));
        }}
      >
        <TextField label="Title contains" name="q" type="search" defaultValue={search.q ?? ""} />
        <SelectField
          // A select takes its default from its first options.
          key={`agent ${search.agent} ${agents.length}`}
          label="Agent"
          name="agent"
          defaultValue={search.agent ?? ""}
        >
          <option value="">Any</option>
          {!isListed && <option value={search.agent}>{search.agent}</option>}
          {agents.map(({ sId, name }) => (
            <option key={sId} value={sId}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          key={`status ${search.status}`}
          label="State"
          name="status"
          defaultValue={search.status ?? ""}
        >
          <option value="">Any</option>
          {conversationStates.map((state) => (
            <option key={state} value={state}>
              {wordOf(state)}
            </option>
          ))}
        </SelectField>
        <TextField
          label="From"
          name="since"
          type="datetime-local"
          defaultValue={search.since ?? ""}
        />
        <TextField
          label="To"
          name="until"
          type="datetime-local"
          defaultValue={search.until ?? ""}
        />
        <Button type="submit" className="justify-self-start">
          Search
        </Button>
      </form>
    </search>
  );
}

/** The agents of the workspace, including archived ones, which may have answered. */
function useAgents(): readonly { readonly sId: string; readonly name: string }[] {
  const wId = useWorkspaceId();
  const { data } = useQuery({
    queryKey: [...trpc.agents.listAll.pathKey(), "names", wId],
    queryFn: async ({ signal }) => {
      const pages = pagesOf((place) => rpc.agents.listAll.query({ wId, ...place }, { signal }));
      return (await Array.fromAsync(pages))
        .flatMap(({ agentConfigurations }) => agentConfigurations)
        .map(({ sId, name }) => ({ sId, name }))
        .toSorted((one, other) => one.name.localeCompare(other.name));
    },
    staleTime: 60_000,
  });
  return data ?? [];
}
