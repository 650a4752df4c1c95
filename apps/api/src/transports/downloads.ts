import type { ReadableFile, RequestContext, StreamedText, WorkspaceCaller } from "@parley/core";
import { type DownloadEndpoint, essenceOf, maxValuesOf, ParleyError } from "@parley/schema";
import { create as createDisposition } from "content-disposition";
import type { FastifyInstance, FastifyReply } from "fastify";
import { namesTag } from "../http/conditional.ts";
import { takePlace } from "../requests/body-costs.ts";
import { authenticateAndCharge } from "../requests/charge-request.ts";
import { procedureContext } from "../requests/procedure-context.ts";
import type { ApiServices, Exchange } from "../services.ts";
import { endpointsOfKind, routePath } from "./endpoints-of-kind.ts";
import { sendPieces } from "./send-pieces.ts";
import { prepareTransfer, reportTransfer } from "./transfers.ts";

/** Bytes from `start`, and before `end`. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a `Range` header (RFC 9110, section 14) for `sizeBytes` bytes. Undefined if all bytes are
 * to be sent: for a missing or malformed header, and for several ranges.
 */
export function parseRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const start = Math.max(0, sizeBytes - Number(last));
    return start < sizeBytes ? { start, end: sizeBytes } : "unsatisfiable";
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= sizeBytes) return "unsatisfiable";
  return { start, end: last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}

type Open = (context: RequestContext<WorkspaceCaller>, input: never) => Promise<ReadableFile>;

/** Types that a browser may show; it saves all others, such as pages and images with scripts. */
const shown = new Set(["text/plain", "image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Serves every endpoint of kind download. */
export function registerDownloads(app: FastifyInstance, services: ApiServices): void {
  for (const { endpoint, implementation } of endpointsOfKind("download")) {
    if (endpoint.method === "POST") {
      registerStreamed(app, services, { endpoint, stream: implementation as Stream });
      continue;
    }
    const open = implementation as Open;
    app.route({
      // Fastify's own HEAD would read the whole file.
      method: ["GET", "HEAD"],
      url: routePath(endpoint.path),
      onRequest: (request, reply) => authenticateAndCharge(services, endpoint, { request, reply }),
      handler: async (request, reply) => {
        const context = procedureContext(services, { request, reply });
        return reportTransfer(endpoint, context, async () => {
          const { input, authorized } = prepareTransfer(endpoint, context, request);
          // The input of each opener is that of its endpoint's schemas.
          const file = await open(authorized, input as never);
          return sendFile(services, file, { request, reply });
        });
      },
    });
  }
}

type Stream = (context: RequestContext<WorkspaceCaller>, input: never) => Promise<StreamedText>;

/** Serves a download that is made while it is read: a client that leaves ends it. */
function registerStreamed(
  app: FastifyInstance,
  services: ApiServices,
  { endpoint, stream }: { endpoint: DownloadEndpoint; stream: Stream },
): void {
  const maxValues = maxValuesOf(endpoint);
  app.route({
    method: "POST",
    url: routePath(endpoint.path),
    onRequest: async (request, reply) => {
      await authenticateAndCharge(services, endpoint, { request, reply });
      request.maxValues = maxValues;
      await takePlace(services, { request, reply });
    },
    handler: async (request, reply) => {
      const context = procedureContext(services, { request, reply });
      return reportTransfer(endpoint, context, async () => {
        const { input, authorized } = prepareTransfer(endpoint, context, request);
        const text = await stream(authorized, input as never);
        reply.headers({ ...describeFile(text), "Cache-Control": "private, no-store" });
        return sendPieces(services.unreadResponses, reply, text.pieces);
      });
    },
  });
}

/** Sends a file, or a range of it. */
function sendFile(
  { unreadResponses }: ApiServices,
  file: ReadableFile,
  { request: { method, headers }, reply }: Exchange,
): FastifyReply {
  const { sizeBytes } = file;
  const etag = `"${file.sha256}"`;
  if (namesTag(headers["if-none-match"], etag)) {
    return reply.code(304).headers(cacheHeaders(etag)).send();
  }
  // A range is useful only if the file is the one that the client has a part of.
  const wanted = (headers["if-range"] ?? etag) === etag && method === "GET";
  const range = parseRange(wanted ? headers.range : undefined, sizeBytes);
  if (range === "unsatisfiable") {
    reply.header("Content-Range", `bytes */${sizeBytes}`);
    const message = `Invalid Range header: the file has ${sizeBytes} bytes`;
    throw new ParleyError("invalid_request_error", message, { status: 416 });
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  reply
    .code(range === undefined ? 200 : 206)
    .headers(cacheHeaders(etag))
    .headers(describeFile(file))
    .header("Content-Length", end - start);
  if (range !== undefined) {
    reply.header("Content-Range", `bytes ${start}-${end - 1}/${sizeBytes}`);
  }
  if (method === "HEAD") return reply.send();
  return sendPieces(unreadResponses, reply, file.read(start, end));
}

function cacheHeaders(etag: string) {
  return { ETag: etag, "Cache-Control": "private, no-cache", "Accept-Ranges": "bytes" };
}

/** Headers that describe the file, and keep browsers from treating it as part of this site. */
function describeFile({ contentType, fileName }: Pick<ReadableFile, "contentType" | "fileName">) {
  const type = shown.has(essenceOf(contentType)) ? "inline" : "attachment";
  return {
    "Content-Type": contentType,
    "Content-Disposition": createDisposition(fileName, { type }),
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  };
}
