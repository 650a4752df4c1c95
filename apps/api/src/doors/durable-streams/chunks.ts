import { isTerminal, type LogStream, type StoredEvent } from "@parley/core";
import { escapeLineEnds } from "../../transports/sse-frames.ts";
import { formatOffset } from "./offsets.ts";

/** Some events of a log as the protocol has them: a JSON array, and what is after it. */
export interface Chunk {
  /** The array; `[]` if its events are hidden. */
  readonly json: string;
  /** Events in the array. */
  readonly count: number;
  /** Number of the last event that was read, hidden or not. */
  readonly nextSeq: number;
  /** Whether the log had no more when it was read. */
  readonly isUpToDate: boolean;
  /** Whether nothing can follow. */
  readonly isClosed: boolean;
}

/** Where a read began, and the log's end as it was then known. */
export interface ReadFrom {
  readonly after: number;
  readonly end: { readonly lastSeq: number; readonly closed: boolean };
}

/** The chunk of the events that follow `after` without a gap; each is as the log's own stream has it. */
export function toChunk(
  { enveloped, hidden }: Pick<LogStream, "enveloped" | "hidden">,
  events: readonly StoredEvent[],
  { after, end }: ReadFrom,
): Chunk {
  const last = events.at(-1);
  const nextSeq = last?.seq ?? Math.max(after, end.lastSeq);
  const items = events
    .filter(({ type }) => !hidden.has(type))
    .map(({ seq, payload }) => (enveloped ? `{"eventId":"${seq}","data":${payload}}` : payload));
  const isUpToDate = nextSeq >= end.lastSeq;
  const isClosed =
    (last !== undefined && isTerminal(last.type)) || (end.closed && nextSeq >= end.lastSeq);
  return { json: `[${items.join(",")}]`, count: items.length, nextSeq, isUpToDate, isClosed };
}

/** A chunk as Server-Sent Events: its array, if it has any events, and a control event. */
export function formatChunk(chunk: Chunk, cursor: string): string {
  const { json, count, nextSeq, isUpToDate, isClosed } = chunk;
  const control = JSON.stringify({
    streamNextOffset: formatOffset(nextSeq),
    ...(isClosed ? { streamClosed: true } : { streamCursor: cursor }),
    ...(isUpToDate && { upToDate: true }),
  });
  const data = count === 0 ? "" : `event: data\ndata:${escapeLineEnds(json)}\n\n`;
  return `${data}event: control\ndata:${control}\n\n`;
}

/** The headers of a chunk; those of live reads have a cursor. */
export function chunkHeaders(
  { nextSeq, isUpToDate, isClosed }: Omit<Chunk, "json" | "count">,
  cursor?: string,
): Record<string, string> {
  return {
    "Stream-Next-Offset": formatOffset(nextSeq),
    ...(isUpToDate && { "Stream-Up-To-Date": "true" }),
    ...(isClosed && { "Stream-Closed": "true" }),
    ...(cursor !== undefined && !isClosed && { "Stream-Cursor": cursor }),
  };
}
