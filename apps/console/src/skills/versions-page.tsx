import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { isNotFound } from "../api/failures.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { buttonLook } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { List } from "../ui/list.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { Section } from "../ui/section.tsx";
import { rowLink } from "../ui/table.tsx";
import { TextDifferences } from "../ui/text-differences.tsx";
import { Time } from "../ui/time.tsx";
import { type SkillVersion, textOfVersion } from "./version-text.ts";

const here = "/session/skills/$skillId/versions";

/** The versions of a skill, one of which is shown, compared with another. */
export function SkillVersionsPage() {
  const { skillId } = useParams({ from: here });
  const { after, version } = useSearch({ from: here });
  const wId = useWorkspaceId();
  const input = { wId, skillId, lastValue: after };
  const reading = useQuery(trpc.skills.listVersions.queryOptions(input));
  if (isNotFound(reading.error)) return <NotFoundPage />;
  const { versions = [] } = reading.data ?? {};
  const [newest] = versions;
  const name = newest === undefined ? "a skill" : newest.name;
  const shown = version ?? String(newest?.version);
  return (
    <Page
      title={`Versions of ${name}`}
      actions={
        <Link to="/skills/$skillId" params={{ skillId }} className={buttonLook()}>
          Current skill
        </Link>
      }
    >
      <List
        name="Versions"
        query={reading}
        rowsOf={(page) => page.versions}
        keyOf={(one) => one.version}
        after={after}
        empty={<EmptyState title="No versions on this page" />}
        columns={{
          Version: (one) => (
            <Link
              to="."
              search={(search) => ({ ...search, version: String(one.version), with: undefined })}
              aria-current={shown === String(one.version) ? "true" : undefined}
              className={`${rowLink} aria-[current]:underline`}
            >
              Version {one.version}
            </Link>
          ),
          State: ({ status }) => status,
          "Changed by": ({ editor }) => editor?.name ?? "An operator",
          Changed: ({ createdAt }) => <Time at={createdAt} />,
        }}
      />
      {newest && <OneVersion skillId={skillId} shown={Number(shown)} listed={versions} />}
    </Page>
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
  const wId = useWorkspaceId();
  const reading = useQuery(pairQuery(wId, { skillId, shown, chosen }));
  const { data } = reading;
  if (data === undefined) {
    return <Loaded query={reading} label="the version" title="The version could not be loaded" />;
  }
  const { one, other } = data;
  if (one === undefined) return <EmptyState title={`Version ${shown} is not available`} />;
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
        <option value="none">None (show full text)</option>
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
          label={`Changes in version ${shown} since version ${other.version}`}
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
function pairQuery(wId: string, { skillId, shown, chosen }: Pair) {
  const read = async (version: number, limit: number, signal: AbortSignal) => {
    const call = { wId, skillId, lastValue: String(version + 1), limit };
    return (await rpc.skills.listVersions.query(call, { signal })).versions;
  };
  return queryOptions({
    queryKey: ["skill-version", wId, skillId, shown, chosen],
    queryFn: async ({ signal }) => {
      const [first, before] = await read(shown, 2, signal);
      const one = first?.version === shown ? first : undefined;
      // A page of large versions may contain only the first.
      const [previous] =
        before === undefined && shown > 0 ? await read(shown - 1, 1, signal) : [before];
      if (chosen === undefined || chosen === "none") {
        return { one, other: chosen === undefined ? previous : undefined };
      }
      const [found] = await read(Number(chosen), 1, signal);
      return { one, other: found?.version === Number(chosen) ? found : undefined };
    },
    staleTime: Infinity,
  });
}
