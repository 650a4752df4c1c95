/** A limit of an invocation, with the label of its field. */
export interface Limit {
  readonly label: string;
  readonly byDefault: number;
}

/** Limits of code in the sandbox, beside those of every invocation. */
export const codeLimits = {
  cpuMs: { label: "CPU time (ms)", byDefault: 10_000 },
  memoryBytes: { label: "Memory (bytes)", byDefault: 67_108_864 },
  logBytes: { label: "Log size (bytes)", byDefault: 1_048_576 },
  fetches: { label: "Requests", byDefault: 50 },
  fetchBytes: { label: "Request and response bodies (bytes)", byDefault: 16_777_216 },
} as const satisfies Record<string, Limit>;
