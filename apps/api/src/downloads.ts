import { Readable } from "node:stream";
import type { ReadableFile, RequestContext, WorkspaceCaller } from "@parley/core";
import { downloads } from "@parley/rpc";
import { type BytesEndpoint, endpoints, essenceOf, ParleyError } from "@parley/schema";
import { create as createDisposition } from "content-disposition";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { admit, type ApiServices, procedureContext } from "./requests.ts";
import { parseRange } from "./ranges.ts";
import { routePath } from "./rest.ts";
import { prepareTransfer, reportTransfer } from "./transfers.ts";

type Open = (context: RequestContext<WorkspaceCaller>, input: never) => Promise<ReadableFile>;

/** What a browser may show; everything else, pages and images with scripts among it, it saves. */
const shown = new Set(["text/plain", "image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Serves every endpoint of kind bytes. */
export function registerDownloads(app: FastifyInstance, services: ApiServices): void {
  const openers: Record<string, Open> = downloads;
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (endpoint.kind !== "bytes") continue;
    const open = openers[name];
    if (open === undefined) throw new Error(`Nothing opens the bytes of ${name}`);
    app.route({
      // Fastify's own HEAD would read the whole file.
      method: ["GET", "HEAD"],
      url: routePath(endpoint.path),
      onRequest: (request, reply) => admit(services, endpoint, { request, reply }),
      handler: async (request, reply) => {
        const context = procedureContext(services, request, reply);
        return reportTransfer(endpoint, context, async () => {
          const { input, authorized } = prepareTransfer(endpoint, context, request);
          // Each takes what its own endpoint's schemas give.
          const file = await open(authorized, input as never);
          const idleMs = services.settings.PARLEY_TRANSFER_IDLE_MS;
          return sendFile(file, endpoint, { request, reply, idleMs });
        });
      },
    });
  }
}

interface Sending {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** A client that takes nothing for so long is cut off. */
  readonly idleMs: number;
}

function sendFile(
  file: ReadableFile,
  endpoint: BytesEndpoint,
  { request, reply, idleMs }: Sending,
): FastifyReply {
  const { method, headers } = request;
  const { sizeBytes } = file;
  const etag = `"${file.sha256}"`;
  if (isKnown(headers["if-none-match"], etag)) {
    return reply.code(304).headers(cacheHeaders(etag)).send();
  }
  // A range of other bytes than the client has begun with would be of no use to it.
  const wanted = (headers["if-range"] ?? etag) === etag && method === "GET";
  const range = parseRange(wanted ? headers.range : undefined, sizeBytes);
  if (range === "unsatisfiable") {
    reply.header("Content-Range", `bytes */${sizeBytes}`);
    const message = `Invalid Range header: the file has ${sizeBytes} bytes`;
    throw new ParleyError("invalid_request_error", message, { status: 416 });
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  reply
    .code(range === undefined ? endpoint.status : 206)
    .headers(cacheHeaders(etag))
    .headers(describeFile(file))
    .header("Content-Length", end - start);
  if (range !== undefined) {
    reply.header("Content-Range", `bytes ${start}-${end - 1}/${sizeBytes}`);
  }
  if (method === "HEAD") return reply.send();
  reply.raw.setTimeout(idleMs, () => reply.raw.destroy());
  // One chunk is read ahead of the client.
  return reply.send(Readable.from(file.read(start, end), { objectMode: false, highWaterMark: 1 }));
}

function cacheHeaders(etag: string) {
  return { ETag: etag, "Cache-Control": "private, no-cache", "Accept-Ranges": "bytes" };
}

/** What the file is, and that no browser is to take it for a part of this site. */
function describeFile({ contentType, fileName }: ReadableFile) {
  const type = shown.has(essenceOf(contentType)) ? "inline" : "attachment";
  return {
    "Content-Type": contentType,
    "Content-Disposition": createDisposition(fileName, { type }),
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  };
}

/** Whether `If-None-Match` names the file as it is: its validators are compared weakly. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
