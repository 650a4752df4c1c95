import { describe, expect, it } from "vitest";
import { errorTable, type ErrorType } from "./error-table.ts";
import { ParleyError } from "./errors.ts";
import { formatPath, invalidRequest } from "./invalid-request.ts";

const rows = Object.entries(errorTable) as [ErrorType, (typeof errorTable)[ErrorType]][];

/** The HTTP status that tRPC gives to each of its codes. */
const statusOfCode: Record<string, number> = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_SUPPORTED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  TIMEOUT: 408,
  SERVICE_UNAVAILABLE: 503,
};

describe("the error table", () => {
  it.each(rows)("gives %s the same status over HTTP and RPC", (type, row) => {
    expect(type).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
    expect(statusOfCode[row.rpcCode]).toBe(row.status);
  });

  it("calls nothing retryable but overload, unavailability, lateness and a request in flight", () => {
    const retryable = rows.filter(([, row]) => row.retryable).map(([type]) => type);
    expect(retryable).toEqual([
      "rate_limit_error",
      "service_unavailable",
      "request_timeout",
      "idempotency_key_in_use",
    ]);
  });
});

describe("ParleyError", () => {
  it("has the status of its type, unless it is given another", () => {
    expect(new ParleyError("file_not_found", "No file").status).toBe(404);
    expect(new ParleyError("file_not_found", "No file", { status: 400 }).status).toBe(400);
  });

  it("keeps its cause, issues and time to wait", () => {
    const cause = new Error("cause");
    const issues = [{ path: "a", message: "b" }];
    const error = new ParleyError("rate_limit_error", "Wait", {
      cause,
      issues,
      retryAfterSeconds: 3,
    });
    expect(error).toMatchObject({ name: "ParleyError", cause, issues, retryAfterSeconds: 3 });
  });
});

describe("an invalid request", () => {
  it.each([
    [[], ""],
    [["message"], "message"],
    [["message", "mentions", 0, "configurationId"], "message.mentions[0].configurationId"],
    [[0, 1, "a"], "[0][1].a"],
  ])("writes the path %j as %j", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  it.each([
    [[{ path: "a.b", message: "is wrong" }], "Invalid request body: a.b: is wrong"],
    [[{ path: "", message: "is wrong" }], "Invalid request body: is wrong"],
    [[], "Invalid request body: malformed"],
  ])("begins with its part and the first fault", (issues, message) => {
    expect(invalidRequest("body", issues)).toMatchObject({ message, issues, status: 400 });
  });
});
