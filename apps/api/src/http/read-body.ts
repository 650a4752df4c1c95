import type { FastifyRequest } from "fastify";
import { ParleyError } from "@parley/schema";

declare module "fastify" {
  interface FastifyRequest {
    /** Length of the body, once it is read. */
    bodyBytes: number | undefined;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Decodes the body of a request, and notes its length. Throws `invalid_request_error` if it is not UTF-8. */
export function decodeBody(request: Pick<FastifyRequest, "bodyBytes">, body: Buffer): string {
  request.bodyBytes = body.length;
  try {
    return decoder.decode(body);
  } catch (cause) {
    throw new ParleyError("invalid_request_error", "Invalid request body: not valid UTF-8", {
      cause,
    });
  }
}

const forbidden = new Set(["__proto__", "constructor", "prototype"]);
/** What a body has that names one of them. A regular expression for these takes ten times as long. */
const signs = ["proto", "constructor", "\\u"];

/** Refuses input with forbidden member names, which superjson cannot write. Throws `invalid_request_error`. */
export function requireSafeJson(text: string): void {
  if (!signs.some((sign) => text.includes(sign))) return;
  let found: string | undefined;
  try {
    found = findForbidden(JSON.parse(text));
  } catch {
    return; // tRPC refuses malformed JSON, and the parser what is nested too deeply.
  }
  if (found !== undefined) {
    throw new ParleyError(
      "invalid_request_error",
      `Invalid request body: no member may be named ${found}`,
    );
  }
}

function findForbidden(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const name of Object.keys(value)) {
    if (!isList && forbidden.has(name)) return name;
    const found = findForbidden((value as Record<string, unknown>)[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
