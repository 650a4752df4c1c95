import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { buttonLook } from "../ui/button.tsx";
import { StatusBadge } from "../ui/badge.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { availabilities, availabilityOf } from "./availability.ts";

/** The skills of the workspace; the filter is in the URL. */
export function SkillListPage() {
  const { parley, workspaceId } = useClients();
  const session = useSession();
  const { status = "active", availability, q = "", all } = useSearch({ from: "/session/skills" });
  const { data, error, refetch } = useQuery({
    queryKey: ["skills", workspaceId, status, availability, all],
    queryFn: ({ signal }) =>
      parley.skills.list(
        {
          status,
          availability: availability === undefined ? undefined : [availability],
          bypassEditorVisibility: all,
        },
        { signal },
      ),
  });
  const words = q.toLowerCase().split(/\s+/);
  const shown = data?.skills.filter(({ name, userFacingDescription: description }) =>
    words.every((word) => `${name} ${description}`.toLowerCase().includes(word)),
  );
  return (
    <Page
      title="Skills"
      actions={
        hasRole(session, "builder") && (
          <Link to="/skills/import" className={buttonLook("primary")}>
            Import
          </Link>
        )
      }
    >
      <Filters />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the skills" />}
      {shown?.length === 0 && (
        <EmptyState title="There are no such skills">
          <p className="text-muted">A skill is a folder with a SKILL.md; import it here, or with</p>
          <Command>parley skills import ./my-skill</Command>
        </EmptyState>
      )}
      {shown && shown.length > 0 && (
        <Table label="Skills" columns={["Skill", "State", "Who can use it", "Changed"]}>
          {shown.map((skill) => (
            <TableRow
              key={skill.sId}
              cells={[
                <>
                  <Link
                    to="/skills/$skillId"
                    params={{ skillId: skill.sId }}
                    className="font-medium text-accent hover:underline"
                  >
                    {skill.name}
                  </Link>
                  <span className="line-clamp-2 text-sm text-muted">
                    {skill.userFacingDescription || skill.agentFacingDescription}
                  </span>
                </>,
                <StatusBadge status={skill.status} />,
                availabilities[skill.availability],
                skill.updatedAt !== null && <Time at={skill.updatedAt} />,
              ]}
            />
          ))}
        </Table>
      )}
    </Page>
  );
}

function Filters() {
  const search = useSearch({ from: "/session/skills" });
  const navigate = useNavigate({ from: "/skills" });
  const isAdmin = hasRole(useSession(), "admin");
  const change = (changed: Partial<typeof search>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace });
  return (
    <search className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
      <TextField
        label="Words"
        type="search"
        value={search.q ?? ""}
        onChange={(event) => change({ q: event.target.value || undefined }, true)}
      />
      <SelectField
        label="State"
        value={search.status ?? ""}
        onChange={({ target: { value } }) =>
          change({ status: value === "archived" || value === "suggested" ? value : undefined })
        }
      >
        <option value="">Active</option>
        <option value="suggested">Suggested</option>
        <option value="archived">Archived</option>
      </SelectField>
      <SelectField
        label="Who can use it"
        value={search.availability ?? ""}
        onChange={({ target: { value } }) => change({ availability: availabilityOf(value) })}
      >
        <option value="">Any</option>
        {Object.entries(availabilities).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
      {isAdmin && (
        <CheckField
          label="Unpublished skills of others too"
          checked={search.all === true}
          onChange={(event) => change({ all: event.target.checked || undefined })}
        />
      )}
    </search>
  );
}
