import type { ParleyError } from "@parley/schema";

/** The kinds of errors that the protocol has, by status. */
const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "invalid_request_error",
  422: "invalid_request_error",
  429: "rate_limit_error",
};

/** An error in the words of the OpenAI interfaces: the row of the table is its `code`. */
export function renderOpenAiError({ type, message, status, issues }: ParleyError): object {
  const isQuota = type === "budget_exceeded";
  return {
    error: {
      message,
      type: isQuota ? "insufficient_quota" : (types[status] ?? "server_error"),
      param: paramOf(issues?.[0]?.path),
      code: isQuota ? "insufficient_quota" : type,
    },
  };
}

/** Paths below the message of a conversation are those of settings: the door's own members have the same names. */
function paramOf(path: string | undefined): string | null {
  if (path === undefined || path === "") return null;
  const [, tool, rest = ""] = /^(?:message\.)?functionTools(\[\d+\])?(.*)$/.exec(path) ?? [];
  if (tool !== undefined) return `tools${tool}${rest}`;
  return path.replace(/^message\./, "").replace(/^responseFormat/, "text.format");
}
