import { factsOf, type Limit, type ProgramKind, programKinds } from "@parley/schema/program-kinds";

type Limits = Readonly<Record<string, Limit>>;

/** Limits of every invocation. */
export const invocationLimits = {
  timeoutMs: { label: "Timeout (ms)", byDefault: 60_000 },
  maxOutputBytes: { label: "Result size (bytes)", byDefault: 262_144 },
  maxLogLines: { label: "Log lines", byDefault: 1000 },
  maxConcurrent: { label: "Max concurrent invocations", byDefault: 20 },
} as const satisfies Limits;

/** Further limits of a kind of programs. */
type KindLimit<K extends ProgramKind> = (typeof programKinds)[K] extends { limits: infer L }
  ? keyof L
  : never;

export type LimitName =
  | keyof typeof invocationLimits
  | { [K in ProgramKind]: KindLimit<K> }[ProgramKind];

/** The limits as texts. */
export type LimitTexts = Readonly<Record<LimitName, string>>;

/** The limits of an invocation, by the kind of its program. */
export const limitsOfKind = (kind: ProgramKind): Limits => ({
  ...invocationLimits,
  ...factsOf(kind).limits,
});

const kinds = Object.keys(programKinds) as ProgramKind[];
const all: Limits = Object.assign({}, ...kinds.map(limitsOfKind));

/** Limits as texts: the given ones, and defaults for the others. */
export function limitTexts(given: { readonly [K in LimitName]?: number | undefined }): LimitTexts {
  return Object.fromEntries(
    Object.entries(all).map(([name, { byDefault }]) => [
      name,
      String(given[name as LimitName] ?? byDefault),
    ]),
  ) as LimitTexts;
}

/** The numbers of limits. Throws an `Error` with a readable message. */
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
