import { factsOf, type Limit, type ProgramKind, programKinds } from "@parley/schema/program-kinds";

type Limits = Readonly<Record<string, Limit>>;

/** Bounds of every invocation. */
export const invocationLimits = {
  timeoutMs: { label: "Duration, in milliseconds", byDefault: 60_000 },
  maxOutputBytes: { label: "Result, in bytes", byDefault: 262_144 },
  maxLogLines: { label: "Lines of the log", byDefault: 1000 },
  maxConcurrent: { label: "Invocations at once", byDefault: 20 },
} as const satisfies Limits;

/** The bounds that a kind of programs has beside those. */
type KindLimit<K extends ProgramKind> = (typeof programKinds)[K] extends { limits: infer L }
  ? keyof L
  : never;

export type LimitName =
  | keyof typeof invocationLimits
  | { [K in ProgramKind]: KindLimit<K> }[ProgramKind];

/** The limits as they are written. */
export type LimitTexts = Readonly<Record<LimitName, string>>;

/** The bounds of an invocation of a program of a kind. */
export const limitsOfKind = (kind: ProgramKind): Limits => ({
  ...invocationLimits,
  ...factsOf(kind).limits,
});

const kinds = Object.keys(programKinds) as ProgramKind[];
const all: Limits = Object.assign({}, ...kinds.map(limitsOfKind));

/** Limits as texts: those that are given, and the defaults of the others. */
export function limitTexts(given: { readonly [K in LimitName]?: number | undefined }): LimitTexts {
  return Object.fromEntries(
    Object.entries(all).map(([name, { byDefault }]) => [
      name,
      String(given[name as LimitName] ?? byDefault),
    ]),
  ) as LimitTexts;
}

/** The numbers of limits. Throws an `Error` with a sentence for people. */
export function limitsOf<T extends LimitName>(
  names: Readonly<Record<T, Limit>>,
  texts: LimitTexts,
): Record<T, number> {
  return Object.fromEntries(
    Object.entries<Limit>(names).map(([name, { label }]) => {
      const text = texts[name as LimitName].trim();
      if (!/^\d+$/.test(text)) throw new Error(`“${label}” must be a whole number`);
      return [name, Number(text)];
    }),
  ) as Record<T, number>;
}
