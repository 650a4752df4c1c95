import { once } from "node:events";
import type { ServerResponse } from "node:http";
import {
  type Core,
  createIdleTimer,
  followLog,
  type LogStream,
  parseCursor,
  readLogEnd,
  startBehind,
  type StoredEvent,
} from "@parley/core";
import type { FastifyReply, FastifyRequest } from "fastify";

const HEARTBEAT_MS = 15_000;

/** How a stream was asked for. */
interface Resume {
  /** Number of the last event that the client has; 0 for none. */
  readonly after: number;
  /** Whether the client resumes, and so wants `id:` lines. */
  readonly withIds: boolean;
}

/** Reads `Last-Event-ID` and `lastEventId`; the header wins. Throws `invalid_request_error`. */
export function parseResume(request: Pick<FastifyRequest, "headers" | "query">): Resume {
  const header = request.headers["last-event-id"];
  const { lastEventId } = request.query as { lastEventId?: unknown };
  const value = header ?? lastEventId;
  if (value === undefined) return { after: 0, withIds: false };
  return { after: parseCursor(value), withIds: true };
}

/** Answers with a log as Server-Sent Events until its terminal event. */
export async function sendStream(
  core: Core,
  stream: LogStream,
  { request, reply, signal }: { request: FastifyRequest; reply: FastifyReply; signal: AbortSignal },
): Promise<void> {
  const resume = parseResume(request);
  const end = await readLogEnd(core.database.db, stream.logId);
  const after = startBehind(resume.after, end, stream);
  if (after === undefined) {
    await reply.code(204).send();
    return;
  }
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
  });
  response.flushHeaders();
  const idle = createIdleTimer(stream.idleTimeoutMs);
  const ended = AbortSignal.any([signal, idle.signal]);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": ping\n\n");
  }, HEARTBEAT_MS);
  try {
    for await (const events of followLog(core, { logId: stream.logId, after, signal: ended })) {
      idle.restart();
      const frames = events
        .filter((event) => !stream.hidden.has(event.type))
        .map((event) => formatFrame(event, stream, resume))
        .join("");
      if (frames !== "" && !response.write(frames)) await drained(response, signal);
    }
  } finally {
    clearInterval(heartbeat);
    idle.stop();
    response.end();
  }
}

/** One event as a frame: `data:` alone, behind `id:` for a client that resumes. */
export function formatFrame(
  event: StoredEvent,
  stream: Pick<LogStream, "enveloped">,
  resume: Pick<Resume, "withIds">,
): string {
  const data = stream.enveloped
    ? `{"eventId":"${event.seq}","data":${event.payload}}`
    : event.payload;
  return `${resume.withIds ? `id: ${event.seq}\n` : ""}data: ${data}\n\n`;
}

/** Waits until a slow reader has taken what was written; nothing is read for it meanwhile. */
async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await once(response, "drain", { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
