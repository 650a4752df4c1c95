import { type LogStream, parseCursor, readLogEnd, startBehind } from "@parley/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameEncoder } from "./frames.ts";
import type { ApiServices } from "./requests.ts";

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(": ping\n\n");

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

export interface StreamRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Ends the stream, from here or from elsewhere. */
  readonly end: () => void;
  /** Resolves once it has to end. */
  readonly ended: Promise<void>;
}

/** Answers with a log as Server-Sent Events until its terminal event. */
export async function sendStream(
  { core, settings }: Pick<ApiServices, "core" | "settings">,
  stream: LogStream,
  { request, reply, end, ended }: StreamRequest,
): Promise<void> {
  const resume = parseResume(request);
  const logEnd = await readLogEnd(core.database.db, stream.logId);
  const after = startBehind(resume.after, logEnd, stream);
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
  const encode = frameEncoder({ ...stream, withIds: resume.withIds });
  const { idleTimeoutMs } = stream;
  const idle = idleTimeoutMs === undefined ? undefined : setTimeout(end, idleTimeoutMs);
  const following = core.hub.follow(
    {
      take: (events) => {
        idle?.refresh();
        const frames = encode(events);
        if (frames.length > 0) response.write(frames);
        if (response.writableLength <= settings.PARLEY_STREAM_BUFFER_BYTES) return true;
        // From here on it is fed as its socket drains, and cut off when that takes nothing.
        response.setTimeout(settings.PARLEY_STREAM_STALL_MS);
        return false;
      },
      end,
      fail: (error) => {
        request.log.error({ err: error, requestId: request.id }, "A stream broke");
        response.destroy();
      },
    },
    { logId: stream.logId, after },
  );
  response.on("drain", () => {
    response.setTimeout(0);
    following.resume();
  });
  response.on("timeout", () => response.destroy());
  response.once("close", end);
  // The client may have gone while it was looked for.
  if (response.destroyed) end();
  const heartbeat = setInterval(() => {
    if (response.writableLength === 0) response.write(HEARTBEAT);
  }, HEARTBEAT_MS);
  try {
    await ended;
  } finally {
    following.stop();
    clearTimeout(idle);
    clearInterval(heartbeat);
    response.setTimeout(settings.PARLEY_STREAM_STALL_MS);
    response.end();
  }
}
