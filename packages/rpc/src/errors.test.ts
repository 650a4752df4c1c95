import { errorTable, type ErrorType, ParleyError } from "@parley/schema";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { describe, expect, it } from "vitest";
import { renderError, toParleyError, toTrpcError } from "./errors.ts";

const types = Object.keys(errorTable) as ErrorType[];

describe("errors over RPC", () => {
  it.each(types)("carry %s with the status of the table, and back unchanged", (type) => {
    const error = new ParleyError(type, "What was wrong");
    const carried = toTrpcError(error);
    expect(getHTTPStatusCodeFromError(carried)).toBe(errorTable[type].status);
    expect(toParleyError(carried)).toBe(error);
  });

  it.each([
    [new TRPCError({ code: "NOT_FOUND" }), "not_found"],
    [new TRPCError({ code: "PARSE_ERROR" }), "invalid_request_error"],
    [new TRPCError({ code: "PARSE_ERROR", cause: new Error("x") }), "invalid_request_error"],
    [new TRPCError({ code: "BAD_REQUEST" }), "invalid_request_error"],
    [new TRPCError({ code: "METHOD_NOT_SUPPORTED" }), "method_not_supported_error"],
    [new TRPCError({ code: "UNSUPPORTED_MEDIA_TYPE" }), "invalid_request_error"],
    [new TRPCError({ code: "PAYLOAD_TOO_LARGE" }), "content_too_large"],
  ])("say what tRPC refuses by itself: %s", (error, type) => {
    expect(toParleyError(error).type).toBe(type);
  });

  it.each([
    new Error("select secret from users"),
    new TypeError("x is undefined"),
    new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause: new Error("secret") }),
    new TRPCError({ code: "BAD_REQUEST", cause: new Error("secret") }),
    "secret",
    undefined,
  ])("hide what is unexpected: %s", (error) => {
    const known = toParleyError(error);
    expect(known).toMatchObject({ type: "internal_server_error", status: 500, cause: error });
    expect(JSON.stringify(renderError(known, "id"))).not.toMatch(/secret|undefined/);
  });

  it("say that the server is unavailable when its database is, and when to try again", () => {
    const gone = Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" });
    expect(toParleyError(new Error("Failed query", { cause: gone }))).toMatchObject({
      type: "service_unavailable",
      status: 503,
      retryAfterSeconds: 1,
    });
  });

  it("say that the server shuts down if that ended the waiting", () => {
    const given = toParleyError(new DOMException("This operation was aborted", "AbortError"));
    expect(given).toMatchObject({ type: "service_unavailable", retryAfterSeconds: 1 });
  });

  it("say that there is too much to do when no connection gets free", () => {
    const busy = new Error("timeout exceeded when trying to connect");
    expect(toParleyError(new Error("Failed query", { cause: busy }))).toMatchObject({
      type: "rate_limit_error",
      status: 429,
      retryAfterSeconds: 1,
    });
  });
});

describe("renderError", () => {
  it.each([
    [new ParleyError("not_found", "No"), undefined, { type: "not_found", message: "No" }],
    [
      new ParleyError("not_found", "No", { issues: [{ path: "a", message: "b" }] }),
      "id",
      { type: "not_found", message: "No", request_id: "id", issues: [{ path: "a", message: "b" }] },
    ],
  ])("writes type, message and what else is known", (error, requestId, body) => {
    expect(renderError(error, requestId)).toEqual({ error: body });
  });
});
