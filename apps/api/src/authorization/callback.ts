import {
  CALLBACK_PATH,
  type ComingBack,
  completeToolAuthorization,
  type DescribedAuthorization,
  describeToolAuthorization,
  DOCUMENT_CALLBACK_PATH,
} from "@parley/core";
import { isStorable, ParleyError } from "@parley/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "../http/error-response.ts";
import { escapeHtml, pagePolicy, renderHtmlPage } from "../http/html-page.ts";
import { clientIpOf } from "../requests/call-log.ts";
import type { ApiServices } from "../services.ts";

const BODY_LIMIT_BYTES = 16_384;
const MAX_PARAMETER = 8192;
const EXCHANGE_MS = 45_000;
/** The errors that are told to a person. */
const shown: ReadonlySet<string> = new Set([
  "invalid_request_error",
  "app_auth_error",
  "tool_unreachable",
]);

/**
 * Serves the page that authorization servers send browsers back to, at both of its paths. It has no key: the state that it is sent is
 * the credential, for ten minutes and once. What it allows is asked again, so that nobody allows it for another
 * by following a link.
 */
export function registerCallback(root: FastifyInstance, services: ApiServices): void {
  void root.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: BODY_LIMIT_BYTES },
      async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
    );
    app.addHook("onRequest", async (request) => {
      await services.rateLimits.consumeVisit(clientIpOf(request));
    });
    app.setErrorHandler((error, request, reply) => {
      const isShown = error instanceof ParleyError && shown.has(error.type);
      if (!isShown) return sendError(error, request, reply);
      reply.errorType = error.type;
      return send(reply.code(error.status), "not allowed", describeFailure(error.message));
    });
    for (const path of [CALLBACK_PATH, DOCUMENT_CALLBACK_PATH]) {
      app.get<{ Querystring: Record<string, unknown> }>(path, async (request, reply) => {
        const back = { path, ...readParameters(request.query) };
        const described = await describeToolAuthorization(services.core, back);
        return send(reply, "allow a tool", describeQuestion(described, back));
      });
      app.post(path, async (request, reply) => {
        requireOwnPage(request);
        const back = { path, ...readParameters(request.body as Record<string, unknown>) };
        const completed = await completeToolAuthorization(services.core, back, {
          signal: AbortSignal.timeout(EXCHANGE_MS),
          clientIp: clientIpOf(request),
          requestId: request.id,
        });
        return send(reply, "a tool is allowed", describeAllowed(completed));
      });
    }
  });
}

/** Refuses forms of other pages, where the browser says whose they are. */
function requireOwnPage({ headers }: FastifyRequest): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  throw new ParleyError("app_auth_error", "The form must be sent from this server's own page");
}

function readParameters(given: Readonly<Record<string, unknown>>): Omit<ComingBack, "path"> {
  const read = (name: string): string | undefined => {
    const value = given[name];
    if (typeof value !== "string" || value === "") return undefined;
    if (value.length <= MAX_PARAMETER && isStorable(value)) return value;
    throw new ParleyError("invalid_request_error", `${name}: is too long, or is not text`);
  };
  const [state, code, issuer, error] = ["state", "code", "iss", "error"].map(read);
  if (error !== undefined) {
    const why = read("error_description") ?? error;
    throw new ParleyError("invalid_request_error", `The authorization server said: ${why}`);
  }
  if (state === undefined || code === undefined) {
    const message = "state and code: are missing: only authorization servers link to this page";
    throw new ParleyError("invalid_request_error", message);
  }
  return { state, code, ...(issuer !== undefined && { issuer }) };
}

function send(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply
    .headers({
      "content-security-policy": pagePolicy("'self'"),
      "cache-control": "no-store",
    })
    .type("text/html; charset=utf-8")
    .send(renderHtmlPage(title, body));
}

/** Asks whether it is this user who allows it. */
export function describeQuestion(described: DescribedAuthorization, back: ComingBack): string {
  const { toolName, userName, workspaceName, serverHost } = described;
  const { path, state, code, issuer } = back;
  const fields = { state, code, ...(issuer !== undefined && { iss: issuer }) };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return `<h1>Let agents use ${escapeHtml(toolName)}?</h1>
<p>Agents of the workspace <strong>${escapeHtml(workspaceName)}</strong> will call it in the name of
<strong>${escapeHtml(userName)}</strong>${emailOf(described)}, with what you have just allowed at
<strong>${escapeHtml(serverHost)}</strong>. If that is not you, close this page: somebody else sent you here.</p>
<form method="post" action="${escapeHtml(path.slice(path.lastIndexOf("/") + 1))}">
${inputs.join("\n")}
<button>Allow</button>
</form>`;
}

/** Says that it is allowed. */
function describeAllowed(described: DescribedAuthorization): string {
  const { toolName, userName } = described;
  return `<h1>${escapeHtml(toolName)} is allowed</h1>
<p>Agents may call it for <strong>${escapeHtml(userName)}</strong>${emailOf(described)}. The waiting calls continue.
You can close this page.</p>`;
}

/** Says why it is not. */
function describeFailure(message: string): string {
  return `<h1>Access was not granted</h1>
<p>${escapeHtml(message)}</p>`;
}

function emailOf({ userEmail }: DescribedAuthorization): string {
  return userEmail === "" ? "" : ` (${escapeHtml(userEmail)})`;
}
