import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { ListPage } from "../ui/list.tsx";
import { rowLink } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { availabilities, availabilityOf } from "./availability.ts";

/** The skills of the workspace; the filter is in the URL. */
export function SkillListPage() {
  const wId = useWorkspaceId();
  const session = useSession();
  const { status = "active", availability, q = "", all } = useSearch({ from: "/session/skills" });
  const words = q.toLowerCase().split(/\s+/);
  const list = useQuery(
    trpc.skills.list.queryOptions({ wId, status, availability, bypassEditorVisibility: all }),
  );
  return (
    <ListPage
      name="Skills"
      query={list}
      rowsOf={({ skills }) =>
        skills.filter(({ name, userFacingDescription: description }) =>
          words.every((word) => `${name} ${description}`.toLowerCase().includes(word)),
        )
      }
      keyOf={({ sId }) => sId}
      actions={
        hasRole(session, "builder") && (
          <Link to="/skills/import" className={buttonLook("primary")}>
            Import
          </Link>
        )
      }
      above={<Filters />}
      columns={{
        Skill: ({ sId: skillId, name, userFacingDescription, agentFacingDescription }) => (
          <>
            <Link to="/skills/$skillId" params={{ skillId }} className={rowLink}>
              {name}
            </Link>
            <span className="line-clamp-2 text-sm text-muted">
              {userFacingDescription || agentFacingDescription}
            </span>
          </>
        ),
        State: (skill) => <StatusBadge status={skill.status} />,
        Availability: (skill) => availabilities[skill.availability],
        Updated: ({ updatedAt }) => updatedAt !== null && <Time at={updatedAt} />,
      }}
      empty={
        <EmptyState title="No skills found">
          <p className="text-muted">
            A skill is a folder with a SKILL.md. Import one here, or with:
          </p>
          <Command>parley skills import ./my-skill</Command>
        </EmptyState>
      }
    />
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
        label="Search"
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
        label="Availability"
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
          label="Include others' unpublished skills"
          checked={search.all === true}
          onChange={(event) => change({ all: event.target.checked || undefined })}
        />
      )}
    </search>
  );
}
