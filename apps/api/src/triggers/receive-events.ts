import { findReceiver, receiveEvent, type Receiver, requireUrlSecret } from "@parley/core";
import { MAX_EVENT_BYTES, ParleyError, WEBHOOK_DEPTH_HEADER } from "@parley/schema";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "../http/error-response.ts";
import { parseTraceparent, traceIdOf } from "../http/traceparent.ts";
import { readWebhookDepth } from "../http/webhook-depth.ts";
import { requireServing } from "../requests/authenticate.ts";
import { noteRefused } from "../requests/call-log.ts";
import type { ApiServices } from "../services.ts";

/** Bytes of a body that hold a value. */
const BYTES_PER_VALUE = 8;

/** The trigger of each request whose URL is known to be right. */
type Receivers = WeakMap<FastifyRequest, Receiver>;

const tooLarge = (maxBytes: number): ParleyError =>
  new ParleyError("content_too_large", `The body must be at most ${maxBytes} bytes`);

/**
 * Serves the URLs of triggers. Nothing of a body is read before its trigger is known, and the secret of a URL is compared and
 * the limits are checked. The paths are logged and measured as patterns only.
 */
export function registerTriggers(root: FastifyInstance, services: ApiServices): void {
  const receivers: Receivers = new WeakMap();
  void root.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser<Buffer>(
      "*",
      { parseAs: "buffer", bodyLimit: MAX_EVENT_BYTES },
      async (_request: unknown, body: Buffer) => body,
    );
    app.setErrorHandler((error: Partial<FastifyError>, request, reply) => {
      const isTooLarge = error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
      const known = isTooLarge
        ? tooLarge(receivers.get(request)?.maxBytes ?? MAX_EVENT_BYTES)
        : error;
      sendError(known, request, reply);
      services.metrics.eventReceived(reply.errorType ?? "");
    });
    for (const [path, isSigned] of [
      ["/api/v1/w/:wId/triggers/hooks/:webhookSourceId/:secret", false],
      ["/api/v1/w/:wId/triggers/signed/:webhookSourceId", true],
    ] as const) {
      app.post(path, {
        onRequest: async (request) => {
          receivers.set(request, await admit(services, request, isSigned));
        },
        handler: async (request, reply) => {
          const receiver = receivers.get(request);
          if (receiver === undefined) throw new Error("The trigger of the request is unknown");
          return receive(services, receiver, { request, reply });
        },
      });
    }
  });
}

/** The trigger that a request is sent to, once it may be read. */
async function admit(
  services: ApiServices,
  request: FastifyRequest,
  isSigned: boolean,
): Promise<Receiver> {
  requireServing(services);
  const {
    wId,
    webhookSourceId: triggerId,
    secret = "",
  } = request.params as { wId: string; webhookSourceId: string; secret?: string };
  const { core, rateLimits, loopShares } = services;
  const receiver = await findReceiver(core, { wId, triggerId, isSigned });
  if (receiver === undefined) {
    await rateLimits.consumeFailure(request.ip);
    throw new ParleyError("webhook_source_not_found", "No trigger receives events at this URL");
  }
  request.logFields = {
    workspaceId: wId,
    triggerId,
    traceId: traceIdOf(parseTraceparent(request.headers.traceparent)),
  };
  if (!isSigned) {
    await refusing(services, request, async () => requireUrlSecret(core, receiver, secret));
  }
  await rateLimits.consumeEvent(receiver, isSigned ? "unproven" : "proven");
  const declared = request.headers["content-length"];
  const length = declared === undefined ? undefined : Number(declared);
  if (length !== undefined && length > receiver.maxBytes) throw tooLarge(receiver.maxBytes);
  loopShares.requireRoom(wId, length);
  return receiver;
}

/** Does what may refuse a sender that cannot prove who it is: such a refusal is recorded, and counts against its client IP. */
async function refusing<T>(
  services: ApiServices,
  request: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ParleyError && error.status === 401) {
      noteRefused(services, request, error);
      await services.rateLimits.consumeFailure(request.ip);
    }
    throw error;
  }
}

async function receive(
  services: ApiServices,
  receiver: Receiver,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<object> {
  const { core, inTurn, loopShares, metrics, rateLimits } = services;
  const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  const { byteLength: bytes } = body;
  if (bytes > receiver.maxBytes) throw tooLarge(receiver.maxBytes);
  await loopShares.take(receiver.workspaceSid, { bytes, values: bytes / BYTES_PER_VALUE });
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const startedAt = performance.now();
  const received = await refusing(services, request, () =>
    receiveEvent(core, receiver, {
      request: { headers: Object.fromEntries(headers) as Record<string, string>, body },
      origin: {
        requestId: request.id,
        traceparent: parseTraceparent(request.headers.traceparent),
        depth: readWebhookDepth(request.headers[WEBHOOK_DEPTH_HEADER]),
      },
      signal: gone.signal,
      inTurn,
      // The source of a secret URL is charged before its body is read.
      onProven: async () => {
        if (receiver.source.type !== "url") await rateLimits.consumeEvent(receiver, "proven");
      },
    }),
  );
  const outcome = "challenge" in received ? "challenge" : received.outcome;
  metrics.eventReceived(outcome);
  const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
  request.log.info({ ...request.logFields, durationMs, outcome }, "Receive an event");
  return "challenge" in received ? { challenge: received.challenge } : { success: true };
}
