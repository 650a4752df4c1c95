import * as z from "zod";
import { errorTable, type ErrorType } from "./error-table.ts";

/** One fault of a request; `path` names the field, as in `message.mentions[0]`. */
export const Issue = z.object({
  path: z.string().describe("The field"),
  message: z.string().describe("What is wrong with it, and what would be right"),
});
export type Issue = z.infer<typeof Issue>;

/** The body of every error response. */
export const ErrorBody = z.object({
  error: z
    .object({
      type: z.string().describe("Stable type of the error"),
      message: z.string().describe("What was wrong and what would be right"),
      request_id: z.string().optional().describe("Id of the request in the server's log"),
      issues: z.array(Issue).optional().describe("The errors of an invalid request, one by one"),
    })
    .describe("What went wrong"),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

interface ErrorDetails extends ErrorOptions {
  readonly issues?: readonly Issue[];
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Overrides the status of the table, for types with two statuses. */
  readonly status?: number;
}

/** An error that callers see: its type is a row of the error table. */
export class ParleyError extends Error {
  override readonly name = "ParleyError";
  readonly type: ErrorType;
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.type = type;
    this.status = details.status ?? errorTable[type].status;
    this.issues = details.issues;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
