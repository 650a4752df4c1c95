/** A limit of an invocation, with the label of its field. */
interface Limit {
  readonly label: string;
  readonly byDefault: number;
}

/** Limits of every invocation. */
export const invocationLimits = {
  timeoutMs: { label: "Timeout (ms)", byDefault: 60_000 },
  maxOutputBytes: { label: "Result size (bytes)", byDefault: 262_144 },
  maxLogLines: { label: "Log lines", byDefault: 1000 },
  maxConcurrent: { label: "Max concurrent invocations", byDefault: 20 },
} as const satisfies Record<string, Limit>;

/** Limits of sandbox code. */
export const codeLimits = {
  cpuMs: { label: "CPU time (ms)", byDefault: 10_000 },
  memoryBytes: { label: "Memory (bytes)", byDefault: 67_108_864 },
  logBytes: { label: "Log size (bytes)", byDefault: 1_048_576 },
  fetches: { label: "Requests", byDefault: 50 },
  fetchBytes: { label: "Request and response bodies (bytes)", byDefault: 16_777_216 },
} as const satisfies Record<string, Limit>;

type InvocationLimit = keyof typeof invocationLimits;
type CodeLimit = keyof typeof codeLimits;
export type LimitName = InvocationLimit | CodeLimit;

/** The limits as texts. */
export type LimitTexts = Readonly<Record<LimitName, string>>;

const all: Readonly<Record<LimitName, Limit>> = { ...invocationLimits, ...codeLimits };

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
