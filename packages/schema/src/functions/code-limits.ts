/** A bound of an invocation, as its field says it. */
export interface Limit {
  readonly label: string;
  readonly byDefault: number;
}

/** Limits of code in the sandbox, beside those of every invocation. */
export const codeLimits = {
  cpuMs: { label: "Processor time, in milliseconds", byDefault: 10_000 },
  memoryBytes: { label: "Memory, in bytes", byDefault: 67_108_864 },
  logBytes: { label: "Log, in bytes", byDefault: 1_048_576 },
  fetches: { label: "Requests", byDefault: 50 },
  fetchBytes: { label: "Bodies of requests, in bytes", byDefault: 16_777_216 },
} as const satisfies Record<string, Limit>;
