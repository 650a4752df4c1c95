import type * as z from "zod";
import type { Endpoint, ParsedInputOf } from "../endpoint.ts";
import { formatPath, invalidRequest, type RequestPart } from "../errors/invalid-request.ts";
import { cleanJson } from "./json.ts";

/** The raw parts of an HTTP request, separate so that an error names its part. */
export class HttpInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;

  constructor({ params, query, body }: { params: unknown; query: unknown; body: unknown }) {
    this.params = params;
    this.query = query;
    this.body = body;
  }
}

/**
 * Validates the raw input of an endpoint, from REST (`HttpInput`) or RPC (one flat object), and returns
 * it as one flat object; path parameters win. Throws `invalid_request_error`.
 */
export function parseInput<E extends Endpoint>(endpoint: E, raw: unknown): ParsedInputOf<E> {
  const http = raw instanceof HttpInput;
  const parsed: Record<string, unknown> = {};
  if (endpoint.kind === "rpc") {
    Object.assign(parsed, parsePart("body", endpoint.input, cleanJson(raw)));
  } else {
    const whole = http ? undefined : cleanJson(raw);
    const part = (name: "params" | "query" | "body") => {
      if (!http) return whole;
      return name === "query" ? joinBrackets(raw.query) : raw[name];
    };
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

/** Merges `name[]`, as some libraries write lists, into `name`. */
function joinBrackets(query: unknown): unknown {
  if (typeof query !== "object" || query === null) return query;
  const entries = Object.entries(query);
  if (!entries.some(([name]) => name.endsWith("[]"))) return query;
  const joined = new Map<string, unknown>();
  for (const [name, value] of entries) {
    if (!name.endsWith("[]")) joined.set(name, value);
  }
  for (const [name, value] of entries) {
    if (!name.endsWith("[]")) continue;
    const plain = name.slice(0, -2);
    joined.set(plain, [joined.get(plain) ?? [], value].flat());
  }
  return Object.fromEntries(joined);
}

function parsePart(part: RequestPart, schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const first = result.error.issues.slice(0, 20);
  throw invalidRequest(
    part,
    first.map(({ path, message }) => ({ path: formatPath(path), message })),
  );
}
