import type * as z from "zod";
import type { Endpoint, ParsedInputOf } from "./endpoint.ts";
import type { Issue } from "./errors.ts";
import { formatPath, invalidRequest, type RequestPart } from "./invalid-request.ts";
import { cleanJson } from "./json.ts";

/** The raw parts of an HTTP request, kept apart so that each error names the part it is in. */
export class HttpInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;

  constructor(parts: { params: unknown; query: unknown; body: unknown }) {
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
  }
}

/**
 * Validates what came in for an endpoint, from REST (`HttpInput`) or RPC (one flat object), and
 * gives the flat parsed input; path parameters win. Throws `invalid_request_error`.
 */
export function parseInput<E extends Endpoint>(endpoint: E, raw: unknown): ParsedInputOf<E> {
  const http = raw instanceof HttpInput;
  const parsed: Record<string, unknown> = {};
  if (endpoint.kind === "rpc") {
    Object.assign(parsed, parsePart("body", endpoint.input, cleanJson(raw)));
  } else {
    const whole = http ? undefined : cleanJson(raw);
    const part = (name: "params" | "query" | "body") => (http ? raw[name] : whole);
    const { params, query, body } = endpoint;
    const fromParams = parsePart("path", params, part("params"));
    if (query) Object.assign(parsed, parsePart("query", query, part("query")));
    if (body) {
      const value = part("body");
      Object.assign(parsed, parsePart("body", body, http ? cleanJson(value) : value));
    }
    Object.assign(parsed, fromParams);
  }
  // The parts were parsed by the endpoint's own schemas; only their intersection is not inferred.
  return parsed as ParsedInputOf<E>;
}

function parsePart(part: RequestPart, schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = flattenIssues(result.error.issues).slice(0, 20);
  throw invalidRequest(part, issues);
}

function flattenIssues(issues: readonly z.core.$ZodIssue[]): Issue[] {
  return issues.map((issue) => ({ path: formatPath(issue.path), message: issue.message }));
}
