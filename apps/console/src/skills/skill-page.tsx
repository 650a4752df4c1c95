import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Badge, StatusBadge } from "../ui/badge.tsx";
import { buttonLook } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { availabilities } from "./availability.ts";
import { ExportSkill } from "./export-skill.tsx";
import { SkillActions } from "./skill-actions.tsx";
import { type ShownSkill, SkillFiles } from "./skill-files.tsx";

/** One skill: its instructions, files and tools, with actions for its editors. */
export function SkillPage() {
  const { skillId } = useParams({ from: "/session/skills/$skillId" });
  const wId = useWorkspaceId();
  const session = useSession();
  const isBuilder = hasRole(session, "builder");
  const reading = useQuery({
    queryKey: [...trpc.skills.pathKey(), "one", wId, skillId],
    queryFn: async ({ signal }): Promise<ShownSkill> =>
      rpc.skills[isBuilder ? "get" : "read"].query({ wId, skillId }, { signal }),
  });
  const { data, error, refetch } = reading;
  if (isNotFound(error)) return <NotFoundPage />;
  const canChange = data?.skill.canWrite === true && data.version !== undefined;
  return (
    <Page
      title={data?.skill.name ?? "Skill"}
      actions={
        data?.version !== undefined && (
          <>
            {canChange && <SkillActions shown={data} onStale={() => void refetch()} />}
            <Link to="/skills/$skillId/versions" params={{ skillId }} className={buttonLook()}>
              Versions
            </Link>
            <ExportSkill skill={data.skill} />
          </>
        )
      }
    >
      <Loaded query={reading} label="the skill">
        {(shown) => <Parts shown={shown} canChange={canChange} />}
      </Loaded>
    </Page>
  );
}

interface PartsProps {
  readonly shown: ShownSkill;
  readonly canChange: boolean;
}

function Parts({ shown, canChange }: PartsProps) {
  const { skill } = shown;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-muted">
        <StatusBadge status={skill.status} />
        <Badge>{availabilities[skill.availability]}</Badge>
        {skill.updatedAt !== null && (
          <span>
            updated <Time at={skill.updatedAt} />
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
          <dt className="text-sm text-muted">Description for agents</dt>
          <dd>{skill.agentFacingDescription}</dd>
        </div>
        {skill.userFacingDescription !== "" && (
          <div>
            <dt className="text-sm text-muted">Description for people</dt>
            <dd>{skill.userFacingDescription}</dd>
          </div>
        )}
      </dl>
      <section aria-label="Instructions" className="rounded-lg border border-line p-4">
        {skill.instructions === null || skill.instructions === "" ? (
          <p className="text-muted">No instructions.</p>
        ) : (
          <Markdown text={skill.instructions} />
        )}
      </section>
      <SkillFiles shown={shown} canChange={canChange} />
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
