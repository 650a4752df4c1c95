import { createCaller, type KeptQuestion } from "@parley/rpc";
import { endpoints, HttpInput, type JsonEndpoint, parseJson, ParleyError } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import { createAdmit } from "./admission.ts";
import type { KeptAnswer } from "./kept-answers.ts";
import type { Asked, Repeats } from "./repeats.ts";
import { type ApiServices, authenticate, procedureContext } from "./requests.ts";
import { sendKept } from "./send-kept.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Decodes a request body. Throws `invalid_request_error` where it is not UTF-8. */
export function decodeBody(body: Buffer): string {
  try {
    return decoder.decode(body);
  } catch (cause) {
    throw new ParleyError("invalid_request_error", "Invalid request body: not valid UTF-8", {
      cause,
    });
  }
}

/** Fastify's form of an endpoint's path. */
export function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Serves every endpoint of kind json: each route hands its raw parts to the procedure. */
export function registerRest(app: FastifyInstance, services: ApiServices, repeats: Repeats): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    // Clients name the content type of every request, also of one without a body.
    async (_request: unknown, body: Buffer) =>
      body.length === 0 ? undefined : parseJson(decodeBody(body)),
  );
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (endpoint.kind === "json") registerJson(app, services, { name, endpoint, repeats });
  }
}

function registerJson(
  app: FastifyInstance,
  services: ApiServices,
  { name, endpoint, repeats }: { name: string; endpoint: JsonEndpoint; repeats: Repeats },
): void {
  const admit = createAdmit(services, endpoint, repeats);
  app.route({
    method: endpoint.method,
    url: routePath(endpoint.path),
    exposeHeadRoute: endpoint.method === "GET",
    onRequest: async (request, reply) => {
      await authenticate(services, request);
      request.idempotencyKey = await admit(request, reply);
    },
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const { idempotencyKey } = request;
      let kept: { answer: KeptAnswer; asked: Asked } | undefined;
      const context = {
        ...procedureContext(services, request, reply),
        idempotencyKey,
        answerKept: async (question: KeptQuestion) => {
          const answer = await services.keptAnswers.answer(question);
          kept = { answer, asked: { endpoint, question } };
        },
      };
      const call = findProcedure(createCaller(context), name);
      const output = await call(new HttpInput({ params, query, body }));
      reply.code(endpoint.status);
      if (kept === undefined) return reply.send(output);
      repeats.remember(request, reply, kept.asked);
      return sendKept(request, reply, kept.answer);
    },
  });
}

/** The procedure of an endpoint; a house test checks that each endpoint has one. */
function findProcedure(caller: object, name: string): (input: HttpInput) => Promise<unknown> {
  const [namespace = "", procedure = ""] = name.split(".");
  const procedures = caller as Record<string, Record<string, (input: unknown) => Promise<unknown>>>;
  const call = procedures[namespace]?.[procedure];
  if (call === undefined) throw new Error(`No procedure answers ${name}`);
  return call;
}
