import { type Issue, ParleyError } from "./errors.ts";

const prefixes = {
  path: "Invalid path parameters: ",
  query: "Invalid query parameters: ",
  body: "Invalid request body: ",
};

export type RequestPart = keyof typeof prefixes;

/** The error for a part of a request that does not match its schema. */
export function invalidRequest(
  part: RequestPart,
  issues: readonly Issue[],
  details: { readonly retryAfterSeconds?: number } = {},
): ParleyError {
  const first = issues[0];
  const message =
    first === undefined ? "malformed" : `${first.path && `${first.path}: `}${first.message}`;
  return new ParleyError("invalid_request_error", prefixes[part] + message, { ...details, issues });
}

/** Writes a path as in `message.mentions[0].configurationId`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}
