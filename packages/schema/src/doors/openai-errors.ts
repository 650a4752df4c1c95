import * as z from "zod";
import type { ErrorType } from "../errors/error-table.ts";
import type { ParleyError } from "../errors/errors.ts";

/** An error in the words of the OpenAI interfaces. */
export const OpenAiErrorBody = z.object({
  error: z
    .object({
      message: z.string().describe("What was wrong, and what would be right"),
      type: z.string().describe("Kind of error").meta({ example: "invalid_request_error" }),
      param: z.string().nullable().describe("The member of the request that is wrong"),
      code: z
        .string()
        .describe("The type of the server's own table, or `insufficient_quota` for a budget"),
    })
    .describe("The error"),
});
export type OpenAiErrorBody = z.infer<typeof OpenAiErrorBody>;

/** The kinds of errors that the interfaces have, by status. */
const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  409: "conflict_error",
  413: "invalid_request_error",
  422: "invalid_request_error",
  429: "rate_limit_error",
};
const QUOTA = "insufficient_quota";

/** The `code` of an error of the table. */
export const openAiCodeOf = (type: ErrorType): string =>
  type === "budget_exceeded" ? QUOTA : type;

/** An error in the words of the OpenAI interfaces: the row of the table is its `code`. */
export function renderOpenAiError({
  type,
  message,
  status,
  issues,
}: Pick<ParleyError, "type" | "message" | "status" | "issues">): OpenAiErrorBody {
  const code = openAiCodeOf(type);
  const kind = code === QUOTA ? QUOTA : (types[status] ?? "server_error");
  return { error: { message, type: kind, param: paramOf(issues?.[0]?.path), code } };
}

/** Paths below the message of a conversation are those of settings: the doors' own members have the same names. */
function paramOf(path: string | undefined): string | null {
  if (path === undefined || path === "") return null;
  const [, tool, rest = ""] = /^(?:message\.)?functionTools(\[\d+\])?(.*)$/.exec(path) ?? [];
  if (tool !== undefined) return `tools${tool}${rest}`;
  return path.replace(/^message\./, "").replace(/^responseFormat/, "text.format");
}
