import type { RequestContext, WorkspaceCaller } from "@parley/core";
import {
  authorizeWorkspace,
  openFormMutation,
  type ProcedureContext,
  recordMutation,
} from "@parley/rpc";
import {
  EXECUTABLE_TYPE,
  type MultipartEndpoint,
  HttpInput,
  parseInput,
  ParleyError,
} from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { chargeForm, requireRoom } from "../requests/body-costs.ts";
import { authenticateAndCharge } from "../requests/charge-request.ts";
import { procedureContext } from "../requests/procedure-context.ts";
import type { ApiServices, Exchange } from "../services.ts";
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
import { reportTransfer } from "./transfers.ts";

/** Bound on what surrounds the bytes of each part. */
const PART_OVERHEAD_BYTES = 4096;
const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 4096;
/** Forms that are held in memory at once. */
const MAX_OPEN_FORMS = 4;
/** Forms of one workspace: slow ones leave places for other workspaces. */
const MAX_OPEN_OF_WORKSPACE = 2;

interface FormFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

type Answer = (
  context: RequestContext<WorkspaceCaller>,
  input: never,
  files: readonly FormFile[],
) => Promise<unknown>;

/** Serves every endpoint of kind multipart. Its calls are audited mutations. */
export function registerForms(app: FastifyInstance, services: ApiServices): void {
  const { PARLEY_TRANSFER_IDLE_MS: idleMs } = services.settings;
  const openForms: string[] = [];
  for (const { name, endpoint, implementation: given } of endpointsOfKind("multipart")) {
    const implementation = given as Answer;
    const answer = async (
      exchange: Exchange,
      context: ProcedureContext,
      wId: string,
    ): Promise<unknown> => {
      const { request } = exchange;
      if (!request.isMultipart()) throw notMultipart();
      const authorized = authorizeWorkspace(endpoint, context, wId);
      const ended = refuseSlow(exchange, context.signal, idleMs);
      const { fields, files } = await readForm(services, { request, endpoint, ended });
      const { params, query } = request;
      const input = parseInput(endpoint, new HttpInput({ params, query, body: fields }));
      // The input of each implementation is that of its endpoint's schemas.
      return implementation(authorized, input as never, files);
    };
    app.route({
      method: endpoint.method,
      url: routePath(endpoint.path),
      onRequest: async (request, reply) => {
        await authenticateAndCharge(services, endpoint, { request, reply });
        requireRoom(services, request);
      },
      handler: async (request, reply) => {
        // The key is known to be one of this workspace.
        const { wId } = request.params as { wId: string };
        const ofWorkspace = openForms.filter((one) => one === wId).length;
        if (openForms.length >= MAX_OPEN_FORMS || ofWorkspace >= MAX_OPEN_OF_WORKSPACE) {
          const message = "Too many uploads at once: try again";
          throw new ParleyError("rate_limit_error", message, { retryAfterSeconds: 1 });
        }
        openForms.push(wId);
        const context = procedureContext(services, { request, reply });
        const mutation = openFormMutation(context, name);
        return reportTransfer(endpoint, context, async () => {
          const output = await recordMutation(context, mutation, () =>
            answer({ request, reply }, { ...context, mutation }, wId),
          );
          return reply.code(endpoint.status).send(output);
        }).finally(() => {
          openForms.splice(openForms.indexOf(wId), 1);
          dropRest(request);
        });
      },
    });
  }
}

/** Reads a whole form. Throws for one that is cut off, too large, or has files in another field. */
async function readForm(
  services: ApiServices,
  {
    request,
    endpoint: { maxFiles, maxBytes },
    ended,
  }: { request: FastifyRequest; endpoint: MultipartEndpoint; ended: AbortSignal },
): Promise<{ fields: Record<string, string>; files: FormFile[] }> {
  const limits = {
    // One more passes, so that it is refused with a reason.
    files: maxFiles + 1,
    fields: MAX_FIELDS,
    parts: maxFiles + 1 + MAX_FIELDS,
    fieldSize: MAX_FIELD_BYTES,
    fileSize: maxBytes,
    headerPairs: 20,
    headerSize: PART_OVERHEAD_BYTES,
  };
  // File names are paths, which the parser would otherwise reduce to their last part.
  const parts = request.parts({ limits, preservePath: true });
  const tooLong = refuseLong(request, maxBytes + limits.parts * PART_OVERHEAD_BYTES);
  chargeForm(services, request);
  const signal = AbortSignal.any([ended, tooLong]);
  const fields: [string, string][] = [];
  const files: FormFile[] = [];
  try {
    for (let part = await nextPart(parts, signal); part; part = await nextPart(parts, signal)) {
      if (part.type === "field") {
        if (part.fieldname === "files") throw invalidForm("files", "must be files, with names");
        if (part.value !== "") fields.push([part.fieldname ?? "", String(part.value)]);
        continue;
      }
      if (part.fieldname !== "files") {
        part.file.destroy();
        throw invalidForm(part.fieldname ?? "", "not expected here: send the file in files");
      }
      const chunks: Buffer[] = [];
      for await (const chunk of part.file) {
        signal.throwIfAborted();
        chunks.push(chunk as Buffer);
      }
      if (part.file.truncated) throw invalidForm("files", `must be at most ${maxBytes} bytes`);
      const isExecutable = part.mimetype === EXECUTABLE_TYPE;
      files.push({ path: part.filename, bytes: Buffer.concat(chunks), isExecutable });
      if (files.length > maxFiles) throw invalidForm("files", `must be at most ${maxFiles} files`);
    }
  } catch (error) {
    throw toRefusal(signal.aborted ? signal.reason : error);
  }
  return { fields: Object.fromEntries(fields), files };
}
