import type { Sample } from "../measure.ts";
import { answerRatio, type ResultRow, summarize } from "../report.ts";
import type { FirstList } from "../skills/first-list.ts";
import { median } from "../statistics.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";

/** How one process answered with a list of one size. */
export interface MeasuredList {
  readonly skills: number;
  readonly kind: "200" | "gzip" | "304";
  readonly name: string;
  readonly samples: readonly Sample[];
}

const targetsOfLists = { "200": targets.cachedList, gzip: undefined, "304": targets.unchangedList };

/** How long the first lists of one size took. */
export interface TimedLists {
  readonly skills: number;
  readonly parley: readonly FirstList[];
  readonly floor: readonly FirstList[];
}

/** The tables of a run: cached lists, first lists, and the ratios. */
export function renderSkills(
  measured: readonly MeasuredList[],
  timed: readonly TimedLists[],
  results: readonly ResultRow[],
): string {
  const rows = measured.map(({ skills, kind, name, samples }) => ({
    skills,
    answer: kind,
    process: name,
    ...summarize(samples, "lists"),
  }));
  const middle = (lists: readonly FirstList[]) => median(lists.map(({ ms }) => ms));
  const firsts = timed.map(({ skills, parley, floor }) => ({
    skills,
    "parley's first list, ms": middle(parley),
    "floor's, ms": middle(floor),
  }));
  return `\n${[rows, firsts, results].map((table) => renderTable(table)).join("\n")}`;
}

/** The ratios of a run. */
export function answerSkills(
  measured: readonly MeasuredList[],
  timed: readonly TimedLists[],
): ResultRow[] {
  const cached = measured
    .filter(({ name }) => name === "parley")
    .map(({ skills, kind, samples }) =>
      answerRatio<Sample>({
        name: `${skills} skills, ${kind}: server µs over the floor's`,
        of: samples,
        over:
          measured.find(
            (other) => other.name === "floor" && other.skills === skills && other.kind === kind,
          )?.samples ?? [],
        read: (sample) => sample.cpuMicros.server,
        // Of a long list most of the time is the kernel's.
        target: skills === 20 ? targetsOfLists[kind] : undefined,
      }),
    );
  const first = timed.map(({ skills, parley, floor }) =>
    answerRatio<FirstList>({
      name: `${skills} skills, first list: ms over the floor's`,
      of: parley,
      over: floor,
      read: ({ ms }) => ms,
      target: targets.firstList,
    }),
  );
  return [...cached, ...first];
}
