import { createHash } from "node:crypto";
import type { Trace } from "@parley/schema";

const digits = (text: string, count: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, count);

/** A trace that says that it is a sample, of one span. */
export function sampleTrace(now: number, destinationId: string): Trace {
  const id = `${destinationId} ${now}`;
  return {
    traceId: digits(id, 32),
    parentSpanId: null,
    runId: "sample",
    spans: [
      {
        id: digits(`${id} span`, 16),
        parentId: null,
        kind: "answer",
        name: "Sample",
        startedAt: now,
        endedAt: now,
        status: "succeeded",
      },
    ],
    isCut: false,
  };
}
