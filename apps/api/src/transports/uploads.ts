import { addAbortSignal } from "node:stream";
import type { Multipart } from "@fastify/multipart";
import type { ReadUpload, RequestContext, WorkspaceCaller } from "@parley/core";
import { essenceOf } from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { chargeForm, requireRoom } from "../requests/body-costs.ts";
import { authenticateAndCharge } from "../requests/charge-request.ts";
import { procedureContext } from "../requests/procedure-context.ts";
import type { ApiServices } from "../services.ts";
import { endpointsOfKind, routePath } from "./endpoints-of-kind.ts";
import {
  dropRest,
  invalidForm,
  nextPart,
  notMultipart,
  refuseLong,
  refuseSlow,
  toRefusal,
} from "./multipart.ts";
import { prepareTransfer, reportTransfer } from "./transfers.ts";

/** Bound on what surrounds the file: boundaries, headers of parts, ignored fields. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
/** Bounds on everything but the file. A second file passes, so that it is refused with a reason. */
const limits = {
  files: 2,
  fields: 20,
  parts: 22,
  fieldSize: 1024,
  headerPairs: 20,
  headerSize: 4096,
};

type Upload = (
  context: RequestContext<WorkspaceCaller>,
  input: never,
  read: ReadUpload,
) => Promise<unknown>;

/** Serves every endpoint of kind upload. */
export function registerUploads(app: FastifyInstance, services: ApiServices): void {
  const { PARLEY_TRANSFER_IDLE_MS: idleMs } = services.settings;
  for (const { endpoint, implementation } of endpointsOfKind("upload")) {
    const store = implementation as Upload;
    app.route({
      method: endpoint.method,
      url: routePath(endpoint.path),
      onRequest: async (request, reply) => {
        await authenticateAndCharge(services, endpoint, { request, reply });
        requireRoom(services, request);
      },
      handler: async (request, reply) => {
        const context = procedureContext(services, { request, reply });
        return reportTransfer(endpoint, context, async () => {
          if (!request.isMultipart()) throw notMultipart();
          const { input, authorized } = prepareTransfer(endpoint, context, request);
          const ended = refuseSlow({ request, reply }, context.signal, idleMs);
          const read: ReadUpload = (announced) => {
            return readFile(request, announced, {
              ended,
              onFlow: () => chargeForm(services, request),
            });
          };
          // The input of each store is that of its endpoint's schemas.
          const output = await store(authorized, input as never, read);
          return reply.code(endpoint.status).send(output);
        }).finally(() => dropRest(request));
      },
    });
  }
}

/** Reads the one file of a form. Throws if the form is incomplete, or does not hold exactly one. */
async function* readFile(
  request: FastifyRequest,
  { contentType, sizeBytes }: Parameters<ReadUpload>[0],
  { ended, onFlow }: { readonly ended: AbortSignal; readonly onFlow: () => void },
): AsyncGenerator<Uint8Array, void, undefined> {
  let found = false;
  const parts = request.parts({ limits: { ...limits, fileSize: Infinity } });
  // The body flows from here on; the first part is requested before any of it arrives.
  const tooLong = refuseLong(request, sizeBytes + FORM_OVERHEAD_BYTES);
  onFlow();
  const signal = AbortSignal.any([ended, tooLong]);
  try {
    for (let part = await nextPart(parts, signal); part; part = await nextPart(parts, signal)) {
      const fault = findFault(part, contentType, found);
      if (part.type === "file" && fault !== undefined) part.file.destroy();
      // Despite its type, the name of a part may be missing.
      if (fault !== undefined) throw invalidForm(part.fieldname ?? "", fault);
      if (part.type === "field") continue;
      found = true;
      yield* addAbortSignal(signal, part.file);
    }
  } catch (error) {
    throw toRefusal(signal.aborted ? signal.reason : error);
  }
  if (!found) throw invalidForm("file", "is missing: send the file in this field of the form");
}

/** The fault of a part of the form, if it has one; fields other than the file's are ignored. */
function findFault(part: Multipart, contentType: string, found: boolean): string | undefined {
  if (part.type === "field") {
    return part.fieldname === "file" ? "must be a file, with a file name" : undefined;
  }
  if (part.fieldname !== "file") return "not expected here: send the file in the field file";
  if (found) return "must be one file";
  const announced = essenceOf(contentType);
  const sent = essenceOf(part.mimetype);
  return sent === announced
    ? undefined
    : `must have the announced content type, ${announced}, not ${sent.slice(0, 100)}`;
}
