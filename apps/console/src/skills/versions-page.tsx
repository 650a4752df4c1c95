import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { isNotFound } from "../api/failures.ts";
import { type Clients } from "../api/clients.ts";
import { useClients } from "../api/use-session.ts";
import { NotFoundPage } from "../app/fault-pages.tsx";
import { buttonLook } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Section } from "../ui/section.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { TextDifferences } from "../ui/text-differences.tsx";
import { Time } from "../ui/time.tsx";
import { type SkillVersion, textOfVersion } from "./version-text.ts";

const here = "/session/skills/$skillId/versions";

/** The versions of a skill, one of which is shown with what differs from another. */
export function SkillVersionsPage() {
  const { skillId } = useParams({ from: here });
  const { after, version } = useSearch({ from: here });
  const { rpc, workspaceId: wId } = useClients();
  const { data, error, refetch } = useQuery({
    queryKey: ["skill-versions", wId, skillId, after],
    queryFn: ({ signal }) =>
      rpc.skills.listVersions.query(
        { wId, skillId, ...(after !== undefined && { lastValue: after }) },
        { signal },
      ),
  });
  if (isNotFound(error)) return <NotFoundPage />;
  const [newest] = data?.versions ?? [];
  const name = newest === undefined ? "a skill" : newest.name;
  return (
    <Page
      title={`Versions of ${name}`}
      actions={
        <Link to="/skills/$skillId" params={{ skillId }} className={buttonLook()}>
          The skill as it is
        </Link>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the versions" />}
      {data?.versions.length === 0 && <EmptyState title="There are no versions on this page" />}
      {data && newest && (
        <>
          <VersionTable versions={data.versions} shown={version ?? String(newest.version)} />
          <Pager after={after} next={data.hasMore ? data.lastValue : null} />
          <OneVersion
            skillId={skillId}
            shown={Number(version ?? newest.version)}
            listed={data.versions}
          />
        </>
      )}
    </Page>
  );
}

interface VersionTableProps {
  readonly versions: readonly SkillVersion[];
  readonly shown: string;
}

function VersionTable({ versions, shown }: VersionTableProps) {
  return (
    <Table label="Versions" columns={["Version", "State", "Changed by", "Changed"]}>
      {versions.map(({ version, status, editor, createdAt }) => (
        <TableRow
          key={version}
          cells={[
            <Link
              to="."
              search={(search) => ({ ...search, version: String(version), with: undefined })}
              aria-current={shown === String(version) ? "true" : undefined}
              className="font-medium text-accent hover:underline aria-[current]:underline"
            >
              Version {version}
            </Link>,
            status,
            editor?.name ?? "An operator",
            <Time at={createdAt} />,
          ]}
        />
      ))}
    </Table>
  );
}

interface OneVersionProps {
  readonly skillId: string;
  readonly shown: number;
  readonly listed: readonly SkillVersion[];
}

function OneVersion({ skillId, shown, listed }: OneVersionProps) {
  const { with: chosen } = useSearch({ from: here });
  const navigate = useNavigate({ from: "/skills/$skillId/versions" });
  const clients = useClients();
  const { data, error, refetch } = useQuery(pairQuery(clients, { skillId, shown, chosen }));
  if (error) {
    return (
      <ErrorNotice
        title="The version could not be read"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  if (data === undefined) return <Skeleton label="the version" />;
  const { one, other } = data;
  if (one === undefined) return <EmptyState title={`Version ${shown} is not kept`} />;
  const numbers = listed.map(({ version }) => version).filter((version) => version !== shown);
  if (other !== undefined && !numbers.includes(other.version)) numbers.push(other.version);
  const text = textOfVersion(one);
  return (
    <Section title={`Version ${shown}`}>
      <SelectField
        label="Compare with"
        className="max-w-60"
        value={other === undefined ? "none" : String(other.version)}
        onChange={({ target: { value } }) =>
          void navigate({ search: (search) => ({ ...search, with: value }) })
        }
      >
        <option value="none">None: show its text</option>
        {numbers.map((number) => (
          <option key={number} value={number}>
            Version {number}
          </option>
        ))}
      </SelectField>
      {other === undefined ? (
        <CodeBlock label={`Version ${shown}`}>{text}</CodeBlock>
      ) : (
        <TextDifferences
          label={`What version ${shown} changed since version ${other.version}`}
          before={textOfVersion(other)}
          after={text}
        />
      )}
    </Section>
  );
}

interface Pair {
  readonly skillId: string;
  readonly shown: number;
  /** The version to compare with, `none`, or by default the one before. */
  readonly chosen: string | undefined;
}

/** Reads a version, which never changes, and the one to compare it with. */
function pairQuery({ rpc, workspaceId: wId }: Clients, { skillId, shown, chosen }: Pair) {
  const read = async (version: number, limit: number, signal: AbortSignal) => {
    const call = { wId, skillId, lastValue: String(version + 1), limit };
    return (await rpc.skills.listVersions.query(call, { signal })).versions;
  };
  return {
    queryKey: ["skill-version", wId, skillId, shown, chosen],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
      const [first, before] = await read(shown, 2, signal);
      const one = first?.version === shown ? first : undefined;
      // A page of large ones may have the first alone.
      const [previous] =
        before === undefined && shown > 0 ? await read(shown - 1, 1, signal) : [before];
      if (chosen === undefined || chosen === "none") {
        return { one, other: chosen === undefined ? previous : undefined };
      }
      const [found] = await read(Number(chosen), 1, signal);
      return { one, other: found?.version === Number(chosen) ? found : undefined };
    },
    staleTime: Infinity,
  };
}
