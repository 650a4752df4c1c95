import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useWorkspaceId } from "../../api/use-session.ts";
import { SelectField } from "../../ui/field.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { TextDifferences } from "../../ui/text-differences.tsx";
import { partsOf } from "./parts.ts";
import { describeMissing, readVersion } from "../edit/read-versions.ts";

interface CompareVersionsProps {
  readonly slug: string;
  readonly newest: number;
  readonly old: number;
  readonly now: number;
}

/** A choice of two versions, kept in the URL, and their differences. */
export function CompareVersions({ slug, newest, old, now }: CompareVersionsProps) {
  const navigate = useNavigate({ from: "/functions/$functionId" });
  const numbers = Array.from({ length: newest }, (_, index) => newest - index);
  const choose = (chosen: { old?: number; new?: number }) =>
    void navigate({ search: { view: "versions", old, new: now, ...chosen } });
  const options = numbers.map((number) => (
    <option key={number} value={number}>
      Version {number}
    </option>
  ));
  return (
    <Section title="Differences">
      <div className="grid max-w-xl grid-cols-2 gap-3">
        <SelectField
          label="From"
          value={old}
          onChange={({ target }) => choose({ old: Number(target.value) })}
        >
          {options}
        </SelectField>
        <SelectField
          label="To"
          value={now}
          onChange={({ target }) => choose({ new: Number(target.value) })}
        >
          {options}
        </SelectField>
      </div>
      <Differences slug={slug} newest={newest} old={old} now={now} />
    </Section>
  );
}

function Differences({ slug, newest, old, now }: CompareVersionsProps) {
  const wId = useWorkspaceId();
  const pair = useQuery({
    queryKey: ["function-version-pair", wId, slug, old, now],
    queryFn: async ({ signal }) =>
      Promise.all([
        readVersion({ wId, functionId: slug, version: old }, signal),
        readVersion({ wId, functionId: slug, version: now }, signal),
      ]),
    // Versions never change.
    staleTime: Infinity,
  });
  const { data } = pair;
  const differences = useMemo(() => {
    const [before, after] = data ?? [];
    return before && after && differentParts(partsOf(before), partsOf(after));
  }, [data]);
  if (!data) return <Loaded query={pair} label="the differences" />;
  if (differences === undefined) {
    const missing = data[0] === undefined ? old : now;
    return <p className="text-muted">{describeMissing(missing, newest)}</p>;
  }
  if (differences.length === 0) return <p className="text-muted">No differences.</p>;
  return differences.map(({ name, before, after }) => (
    <div key={name} className="grid min-w-0 gap-1">
      <h3 className="font-medium">{name}</h3>
      <TextDifferences label={`Differences in ${name}`} before={before} after={after} />
    </div>
  ));
}

type Parts = ReadonlyMap<string, string>;

/** The parts that differ, by name; a part that a version lacks is empty. */
function differentParts(old: Parts, now: Parts) {
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => ({ name, before: old.get(name) ?? "", after: now.get(name) ?? "" }))
    .filter(({ before, after }) => before !== after);
}
