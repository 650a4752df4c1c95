import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { SelectField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Section } from "../ui/section.tsx";
import { TextDifferences } from "../ui/text-differences.tsx";
import { type AgentVersion, fieldsOf } from "./version-text.ts";

const here = "/session/agents/$agentId/versions";

interface OneVersionProps {
  readonly agentId: string;
  readonly shown: number;
  /** Versions that it can be compared with. */
  readonly listed: readonly number[];
  readonly actions: ReactNode;
}

/** A version member by member: those that differ from another version, by default the one before, or all. */
export function OneVersion({ agentId, shown, listed, actions }: OneVersionProps) {
  const { with: chosen } = useSearch({ from: here });
  const navigate = useNavigate({ from: "/agents/$agentId/versions" });
  const before = listed.find((version) => version < shown);
  const other = chosen === "none" ? undefined : (chosen ?? before);
  return (
    <Section title={`Version ${shown + 1}`} actions={actions}>
      <SelectField
        label="Compare with"
        className="max-w-60"
        value={other ?? "none"}
        onChange={({ target: { value } }) =>
          void navigate({
            search: (search) => ({ ...search, with: value === "none" ? value : Number(value) }),
          })
        }
      >
        <option value="none">None (show all)</option>
        {[...new Set([...listed, ...(other === undefined ? [] : [other])])]
          .filter((version) => version !== shown)
          .map((version) => (
            <option key={version} value={version}>
              Version {version + 1}
            </option>
          ))}
      </SelectField>
      <Pair key={`${shown} ${other ?? "none"}`} agentId={agentId} shown={shown} other={other} />
    </Section>
  );
}

interface PairProps {
  readonly agentId: string;
  readonly shown: number;
  readonly other: number | undefined;
}

function Pair({ agentId, shown, other }: PairProps) {
  const wId = useWorkspaceId();
  const once = { staleTime: Infinity };
  const call = { wId, agentId };
  const reading = useQuery(
    trpc.agents.getVersion.queryOptions({ ...call, agentVersion: shown }, once),
  );
  const compared = useQuery({
    ...trpc.agents.getVersion.queryOptions({ ...call, agentVersion: other ?? shown }, once),
    enabled: other !== undefined,
  });
  return (
    <Loaded query={reading} label="the version">
      {(one) =>
        other === undefined ? (
          <Members version={one} />
        ) : (
          <Loaded query={compared} label="the version to compare with">
            {(before) => <Differences before={before} after={one} />}
          </Loaded>
        )
      }
    </Loaded>
  );
}

function Members({ version }: { readonly version: AgentVersion }) {
  return fieldsOf(version)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => (
      <div key={name} className="grid min-w-0 gap-1">
        <h3 className="text-sm font-medium">{name}</h3>
        <CodeBlock label={name}>{text}</CodeBlock>
      </div>
    ));
}

interface DifferencesProps {
  readonly before: AgentVersion;
  readonly after: AgentVersion;
}

function Differences({ before, after }: DifferencesProps) {
  const old = new Map(fieldsOf(before));
  const changed = fieldsOf(after).filter(([name, text]) => old.get(name) !== text);
  if (changed.length === 0) return <p className="text-muted">No differences.</p>;
  return changed.map(([name, text]) => (
    <div key={name} className="grid min-w-0 gap-1">
      <h3 className="text-sm font-medium">{name}</h3>
      <TextDifferences
        label={`Changes of ${name}`}
        before={`${old.get(name) ?? ""}\n`}
        after={`${text}\n`}
      />
    </div>
  ));
}
