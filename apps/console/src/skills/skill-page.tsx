import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Skill } from "parley-client";
import { hasRole } from "../api/access.ts";
import { isNotFound } from "../api/failures.ts";
import { useClients, useSession } from "../api/use-session.ts";
import { NotFoundPage } from "../app/fault-pages.tsx";
import { Badge, StatusBadge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { availabilities } from "./availability.ts";
import { ExportSkill } from "./export-skill.tsx";
import { SkillActions } from "./skill-actions.tsx";
import { SkillFiles } from "./skill-files.tsx";

/** A skill as a page shows it; those who build have its version, which changes name. */
export interface ShownSkill {
  readonly skill: Skill;
  readonly version?: number;
}

/** One skill: what it says, its files and tools, and what its editors can do with it. */
export function SkillPage() {
  const { skillId } = useParams({ from: "/session/skills/$skillId" });
  const { parley, rpc, workspaceId: wId } = useClients();
  const session = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ["skill", wId, skillId],
    queryFn: async ({ signal }): Promise<ShownSkill> => {
      if (hasRole(session, "builder")) return rpc.skills.get.query({ wId, skillId }, { signal });
      return parley.skills.read({ skillId }, { signal });
    },
  });
  if (isNotFound(error)) return <NotFoundPage />;
  const canChange = data?.skill.canWrite === true && data.version !== undefined;
  return (
    <Page
      title={data?.skill.name ?? "Skill"}
      actions={
        data?.version !== undefined && (
          <>
            {canChange && <SkillActions shown={data} onChange={() => void refetch()} />}
            <Link to="/skills/$skillId/versions" params={{ skillId }} className={buttonLook()}>
              Versions
            </Link>
            <ExportSkill skill={data.skill} />
          </>
        )
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the skill" />}
      {data && <Parts shown={data} canChange={canChange} onChange={() => void refetch()} />}
    </Page>
  );
}

interface PartsProps {
  readonly shown: ShownSkill;
  readonly canChange: boolean;
  readonly onChange: () => void;
}

function Parts({ shown, canChange, onChange }: PartsProps) {
  const { skill } = shown;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-muted">
        <StatusBadge status={skill.status} />
        <Badge>{availabilities[skill.availability]}</Badge>
        {skill.updatedAt !== null && (
          <span>
            changed <Time at={skill.updatedAt} />
          </span>
        )}
        {skill.sourceMetadata !== null && (
          <a
            href={skill.sourceMetadata.repoUrl}
            target="_blank"
            rel="noopener noreferrer"
            className="text-accent underline"
          >
            {skill.sourceMetadata.filePath}
          </a>
        )}
      </p>
      <dl className="grid gap-3">
        <div>
          <dt className="text-sm text-muted">When agents use it</dt>
          <dd>{skill.agentFacingDescription}</dd>
        </div>
        {skill.userFacingDescription !== "" && (
          <div>
            <dt className="text-sm text-muted">What it does</dt>
            <dd>{skill.userFacingDescription}</dd>
          </div>
        )}
      </dl>
      <section aria-label="Instructions" className="rounded-lg border border-line p-4">
        {skill.instructions === null || skill.instructions === "" ? (
          <p className="text-muted">It has no instructions.</p>
        ) : (
          <Markdown text={skill.instructions} />
        )}
      </section>
      <SkillFiles shown={shown} canChange={canChange} onChange={onChange} />
      {skill.tools.length > 0 && (
        <section aria-label="Tools" className="grid gap-2">
          <h2 className="font-semibold">Tools</h2>
          <ul className="list-disc pl-5">
            {skill.tools.map((tool) => (
              <li key={tool.sId}>
                <span className="font-medium">{tool.name}</span>: {tool.server.description}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
