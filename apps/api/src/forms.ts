import multipart from "@fastify/multipart";
import type { RequestContext, WorkspaceCaller } from "@parley/core";
import { endpoints, type FormEndpoint, HttpInput, parseInput, ParleyError } from "@parley/schema";
import {
  authorizeWorkspace,
  closeAct,
  forms,
  openFormAct,
  type ProcedureContext,
} from "@parley/rpc";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "./errors.ts";
import { admit, type ApiServices, procedureContext } from "./requests.ts";
import { routePath } from "./rest.ts";
import { reportTransfer } from "./transfers.ts";
import {
  dropRest,
  invalidForm,
  nextPart,
  notMultipart,
  refuseIdle,
  refuseLong,
  refuseStopped,
  toRefusal,
} from "./uploads.ts";

/** What each part of a form may have around its bytes. */
const PART_OVERHEAD_BYTES = 4096;
const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 4096;
/** Forms that are held in memory at once. */
const MAX_OPEN_FORMS = 4;

interface FormFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

type Answer = (
  context: RequestContext<WorkspaceCaller>,
  input: never,
  files: readonly FormFile[],
) => Promise<unknown>;

/** Serves every endpoint of kind form. */
export function registerForms(root: FastifyInstance, services: ApiServices): void {
  const answers: Record<string, Answer> = forms;
  let openForms = 0;
  void root.register(async (app) => {
    app.removeAllContentTypeParsers();
    await app.register(multipart);
    app.setErrorHandler((error: Error & { code?: string }, request, reply) => {
      const refusal = error.code?.startsWith("FST_ERR_CTP_INVALID") ? notMultipart(error) : error;
      sendError(refusal, request, reply);
    });
    for (const [name, endpoint] of Object.entries(endpoints)) {
      if (endpoint.kind !== "form") continue;
      const answer = answers[name];
      if (answer === undefined) throw new Error(`Nothing answers ${name}`);
      app.route({
        method: endpoint.method,
        url: routePath(endpoint.path),
        onRequest: async (request, reply) => {
          await admit(services, endpoint, { request, reply });
          // The parser logs the headers that it is given.
          delete request.raw.headers.authorization;
        },
        handler: async (request, reply) => {
          if (openForms >= MAX_OPEN_FORMS) {
            const message = "Too many uploads at once: try again";
            throw new ParleyError("rate_limit_error", message, { retryAfterSeconds: 1 });
          }
          openForms++;
          try {
            return await receive({ name, endpoint, answer }, { services, request, reply });
          } finally {
            openForms--;
            dropRest(request);
          }
        },
      });
    }
  });
}

interface Receiving {
  readonly services: ApiServices;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Form {
  readonly name: string;
  readonly endpoint: FormEndpoint;
  readonly answer: Answer;
}

/** Answers a form. It is an administrative act, with its record in the audit log. */
async function receive(form: Form, receiving: Receiving): Promise<unknown> {
  const { services, request, reply } = receiving;
  const context = procedureContext(services, request, reply);
  const act = openFormAct(context, form.name);
  return reportTransfer(form.endpoint, context, async () => {
    const output = await answerForm(form, { ...context, act }, receiving).catch(
      async (error: unknown) => {
        await closeAct(context, act, error);
        throw error;
      },
    );
    await closeAct(context, act);
    return reply.code(form.endpoint.status).send(output);
  });
}

async function answerForm(
  { endpoint, answer }: Form,
  context: ProcedureContext,
  { services, request }: Receiving,
): Promise<unknown> {
  if (!request.isMultipart()) throw notMultipart();
  const { params, query } = request;
  // Checked with the credential: the key is one of this workspace.
  const { wId } = params as { wId: string };
  const authorized = authorizeWorkspace(endpoint, context, wId);
  const idle = refuseIdle(request, services.settings.PARLEY_TRANSFER_IDLE_MS);
  const ended = AbortSignal.any([idle, refuseStopped(context.signal)]);
  const { fields, files } = await readForm(request, endpoint, ended);
  const input = parseInput(endpoint, new HttpInput({ params, query, body: fields }));
  // Each takes what its own endpoint's schemas give.
  return answer(authorized, input as never, files);
}

interface FormParts {
  readonly fields: Record<string, string>;
  readonly files: readonly FormFile[];
}

/** Reads a whole form. Throws for one that is cut off, too large, or has files in another field. */
async function readForm(
  request: FastifyRequest,
  { maxFiles, maxBytes }: FormEndpoint,
  ended: AbortSignal,
): Promise<FormParts> {
  const limits = {
    // One more is let through to be refused.
    files: maxFiles + 1,
    fields: MAX_FIELDS,
    parts: maxFiles + 1 + MAX_FIELDS,
    fieldSize: MAX_FIELD_BYTES,
    fileSize: maxBytes,
    headerPairs: 20,
    headerSize: PART_OVERHEAD_BYTES,
  };
  // Names are paths, which the parser would cut to their last part.
  const parts = request.parts({ limits, preservePath: true });
  const tooLong = refuseLong(request, maxBytes + limits.parts * PART_OVERHEAD_BYTES);
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
        throw invalidForm(part.fieldname ?? "", "no file is expected here: send it in files");
      }
      const chunks: Buffer[] = [];
      for await (const chunk of part.file) {
        signal.throwIfAborted();
        chunks.push(chunk as Buffer);
      }
      if (part.file.truncated) throw invalidForm("files", `must be at most ${maxBytes} bytes`);
      files.push({ path: part.filename, bytes: Buffer.concat(chunks) });
      if (files.length > maxFiles) throw invalidForm("files", `must be at most ${maxFiles} files`);
    }
  } catch (error) {
    throw toRefusal(signal.aborted ? signal.reason : error);
  }
  return { fields: Object.fromEntries(fields), files };
}
