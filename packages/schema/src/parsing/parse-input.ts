import type * as z from "zod";
import { type Endpoint, isAdministration, type ParsedInputOf } from "../endpoint.ts";
import type { Issue } from "../errors/errors.ts";
import { formatPath, invalidRequest, type RequestPart } from "../errors/invalid-request.ts";
import { cleanJson } from "./json.ts";
import { toPlain } from "./plain-values.ts";
import { readTimes } from "./times.ts";
import { findMisspelt, refuseUnknownMembers } from "./unknown-members.ts";

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
 * it as one flat object; path parameters win. Throws `invalid_request_error`, also for members that there
 * are not, but for REST requests outside the administration, which may have any.
 */
export function parseInput<E extends Endpoint>(endpoint: E, raw: unknown): ParsedInputOf<E> {
  const given = raw instanceof HttpInput ? partsOf(raw) : flatParts(plainInput(endpoint, raw));
  if (raw instanceof HttpInput) {
    if (isAdministration(endpoint)) refuseUnknownMembers(endpoint, given, ["query", "body"]);
  } else refuseUnknownMembers(endpoint, given, ["flat"]);
  const { params, query, body } = endpoint;
  const fromParams = parsePart("path", params, given.params);
  const parsed: Record<string, unknown> = {};
  if (query) Object.assign(parsed, parsePart("query", query, given.query));
  if (body) Object.assign(parsed, parsePart("body", body, given.body, endpoint));
  Object.assign(parsed, fromParams);
  // The parts were parsed by the endpoint's own schemas; only their intersection is not inferred.
  return parsed as ParsedInputOf<E>;
}

function partsOf({ params, query, body }: HttpInput) {
  return { params, query: joinBrackets(query), body: cleanJson(body), flat: undefined };
}

/** The input of the RPC as JSON: the one place where values of JavaScript become those of the interface. */
function plainInput(endpoint: Endpoint, raw: unknown): unknown {
  const flat = toPlain(raw);
  readTimes(endpoint, flat);
  return cleanJson(flat);
}

function flatParts(flat: unknown) {
  return { params: flat, query: flat, body: flat, flat };
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

/** What is wrong with a body may be the name of a member, which says more than that another one is missing. */
function parsePart(
  part: RequestPart,
  schema: z.ZodType,
  value: unknown,
  endpoint?: Endpoint,
): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const first = result.error.issues.slice(0, 20);
  throw invalidRequest(part, [
    ...(endpoint === undefined ? [] : findMisspelt(endpoint, value)),
    ...first.flatMap(toIssues).slice(0, 20),
  ]);
}

/** Clients name members of records, which may be long. */
const MAX_PATH_CHARACTERS = 300;

/**
 * An issue of a schema as it is shown: members that a strict object does not know have one each, and a value that is of one
 * kind of a union has the issues of that kind.
 */
function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, 20).map((key) => {
      return { path: showPath([...path, key]), message: "is an unknown field" };
    });
  }
  if (issue.code === "invalid_union") {
    const [only, ...others] = issue.errors.filter((of) => !of.some(isOfOtherType));
    if (only !== undefined && others.length === 0) {
      return only.flatMap((one) => toIssues({ ...one, path: [...path, ...one.path] }));
    }
  }
  // What is wrong with a member's name is said by the schema of names.
  const { message } = (issue.code === "invalid_key" && issue.issues[0]) || issue;
  return [{ path: showPath(path), message }];
}

const isOfOtherType = ({ code, path }: z.core.$ZodIssue): boolean =>
  code === "invalid_type" && path.length === 0;

const showPath = (path: readonly PropertyKey[]): string =>
  formatPath(path).slice(0, MAX_PATH_CHARACTERS);
