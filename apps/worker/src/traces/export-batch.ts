import {
  type Core,
  type EndedRun,
  type ExportPlace,
  readEndedRuns,
  readExportedTrace,
  type TraceDestinationRow,
} from "@parley/core";
import type { Trace } from "@parley/schema";

/** Spans and characters of content of a batch, past which the next trace is for the next one. */
const FULL_SPANS = 512;
const FULL_CHARACTERS = 1_000_000;

/** What one batch sends. */
export interface ExportBatch {
  readonly traces: readonly Trace[];
  /** The last run that it has, sampled or not; undefined if there was none. */
  readonly place: ExportPlace | undefined;
  /** Whether no run is left before `until`. */
  readonly isLast: boolean;
}

/** Reads the traces of the next runs that ended after a place and by a time, as far as one batch holds them. */
export async function readBatch(
  { database: { db } }: Core,
  destination: TraceDestinationRow,
  { from, until }: { readonly from: ExportPlace; readonly until: number },
): Promise<ExportBatch> {
  const { workspaceId } = destination;
  const ended = await readEndedRuns(db, { workspaceId, ...from, until });
  const traces: Trace[] = [];
  let spans = 0;
  let characters = 0;
  let last: EndedRun | undefined;
  for (const run of ended) {
    if (spans >= FULL_SPANS || characters >= FULL_CHARACTERS) break;
    // oxlint-disable-next-line no-await-in-loop -- one trace at a time is in memory beside those that are sent
    const trace = await readExportedTrace(db, destination, run);
    last = run;
    if (trace === undefined) continue;
    traces.push(trace);
    spans += trace.spans.length;
    if (destination.sendsContent) characters += charactersOf(trace);
  }
  const place = last && { at: last.finishedAt, runId: last.id };
  return { traces, place, isLast: ended.length === 0 };
}

const charactersOf = ({ spans }: Trace): number =>
  spans.reduce(
    (sum, { params, output }) => sum + (params?.text.length ?? 0) + (output?.text.length ?? 0),
    0,
  );
